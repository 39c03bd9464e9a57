package notify

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// double replaces the services, and keeps the requests that it gets.
type double struct {
	mu    sync.Mutex
	posts []string
	// status and answer are the status and the body of its answers.
	status int
	answer string
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.posts = append(d.posts, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body))
	w.WriteHeader(max(d.status, 200))
	_, _ = io.WriteString(w, d.answer)
}

func TestEveryServiceGetsWhatIsAsked(t *testing.T) {
	d := &double{}
	server := httptest.NewServer(d)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for kind, c := range map[string]struct{ address, starts string }{
		"ntfy":     {"http://:tk_1@" + host + "/fleet", "POST / Bearer tk_1 "},
		"slack":    {server.URL + "/services/T/B/S", "POST /services/T/B/S  "},
		"discord":  {server.URL + "/api/webhooks/1/S", "POST /api/webhooks/1/S?wait=true  "},
		"telegram": {server.URL + "/botTOKEN?chat=5", "POST /botTOKEN/sendMessage  "},
		"gotify":   {server.URL + "/?token=A", "POST /message?token=A  "},
		"webhook":  {server.URL + "/hook", "POST /hook  "},
	} {
		service, err := ParseService(kind + ":" + c.address)
		if err != nil {
			t.Fatal(err)
		}
		d.posts = nil
		n := New(Options{
			Services: []Service{service},
			Describe: func(*alert.Change) About {
				return About{
					Host: "box", Folder: "/tmp/api", Branch: "main", Command: "cupola answer api.1 --approve",
					Page: "https://box.example/#/inbox", Actions: []Action{{"Approve", "https://box.example/answer/x"}},
				}
			},
		})
		change := raised(core.SeverityWarning, "api.1")
		change.Alert.Message = "cc_1 waits for an approval: rm -rf <build>"
		n.Changed(t.Context(), change)
		n.Wait()
		if len(d.posts) != 1 || !strings.HasPrefix(d.posts[0], c.starts) {
			t.Fatalf("%s: %q", kind, d.posts)
		}
		said := strings.NewReplacer("&lt;", "<", "&gt;", ">", `\u003c`, "<", `\u003e`, ">", `\u0026lt;`, "<",
			`\u0026gt;`, ">").Replace(d.posts[0])
		for _, part := range []string{
			"rm -rf <build>", "/tmp/api", "main", "box", "cupola answer api.1 --approve",
			"https://box.example/#/inbox",
		} {
			if !strings.Contains(said, part) {
				t.Errorf("%s lacks %q: %s", kind, part, said)
			}
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(d.posts[0][strings.IndexByte(d.posts[0], '{'):]), &body); err != nil {
			t.Error(err)
		}
		if actions, _ := body["actions"].([]any); (kind == "ntfy" || kind == "webhook") != (len(actions) == 1) {
			t.Errorf("%s: %v", kind, body["actions"])
		}
	}
	if len(serviceKinds()) != 6 {
		t.Error("a kind of service has no case")
	}
}

func TestNoErrorOfAServiceHasItsSecret(t *testing.T) {
	d := &double{status: 500}
	server := httptest.NewServer(d)
	defer server.Close()
	for _, address := range []string{server.URL + "/SECRET", "http://127.0.0.1:1/SECRET"} {
		service, err := ParseService("slack:" + address)
		if err != nil {
			t.Fatal(err)
		}
		ways := New(Options{Services: []Service{service}}).Test(t.Context())
		for way, err := range ways {
			if err == nil || strings.Contains(way+err.Error(), "SECRET") {
				t.Errorf("%s: %v", way, err)
			}
		}
		if len(ways) != 1 {
			t.Errorf("%v", ways)
		}
	}
	for _, bad := range []string{
		"", "ntfy", "ntfy:", "ntfy:https://ntfy.sh/", "ntfy:https://ntfy.sh/SECRET/b", "pager:https://x/SECRET",
		"slack:ftp://x/SECRET", "slack:http://[::/SECRET", "telegram:https://x/SECRET", "gotify:https://x/SECRET",
	} {
		_, err := ParseService(bad)
		if err == nil || strings.Contains(err.Error(), "SECRET") || core.AsError(err).Hint == "" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRulesSayWhatIsNotified(t *testing.T) {
	night := time.Date(2026, 1, 31, 23, 30, 0, 0, time.Local)
	for name, c := range map[string]struct {
		opts   Options
		change alert.Change
		wanted bool
	}{
		"all":             {Options{}, raised(core.SeverityInfo, "a.1"), true},
		"too little":      {Options{Least: core.SeverityWarning}, raised(core.SeverityInfo, "a.1"), false},
		"a type":          {also("crew_ended"), typed(core.AlertCrewEnded), true},
		"a group":         {also("error"), typed(core.AlertExited), true},
		"another type":    {also("error"), typed(core.AlertCrewEnded), false},
		"a session":       {Options{Sessions: []string{"ap*"}}, inSession("api"), true},
		"another session": {Options{Sessions: []string{"ap*"}}, inSession("web"), false},
		"quiet":           {Options{Quiet: window(t, "22:00-07:00")}, raised(core.SeverityError, "a.1"), false},
		"quiet, critical": {Options{Quiet: window(t, "22:00-07:00")}, raised(core.SeverityCritical, "a.1"), true},
		"not quiet":       {Options{Quiet: window(t, "07:00-22:00")}, raised(core.SeverityError, "a.1"), true},
		"turns off":       {Options{}, turn(time.Hour), false},
		"a short turn":    {Options{Turns: time.Minute}, turn(time.Second), false},
		"a turn":          {Options{Turns: time.Minute, Least: core.SeverityCritical}, turn(time.Hour), true},
	} {
		c.opts.Now = func() time.Time { return night }
		if got := New(c.opts).wants(&c.change); got != c.wanted {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, bad := range []string{"22", "22:00", "22:00-22:00", "25:00-07:00", "a-b"} {
		if _, err := ParseWindow(bad); err == nil {
			t.Errorf("%q is a window", bad)
		}
	}
}

func also(word string) Options { return Options{Least: core.SeverityCritical, Also: []string{word}} }

func typed(what core.AlertType) alert.Change {
	change := raised(core.SeverityInfo, "x")
	change.Alert.Type = what
	return change
}

func inSession(name string) alert.Change {
	change := raised(core.SeverityWarning, name+".1")
	change.Alert.Session = name
	return change
}

func turn(lasted time.Duration) alert.Change {
	change := typed(alert.TurnFinished)
	change.Lasted = lasted
	return change
}

func window(t *testing.T, text string) Window {
	t.Helper()
	w, err := ParseWindow(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNothingIsSentTwiceByTwoProcesses(t *testing.T) {
	var h heard
	ledger := Ledger{Dir: t.TempDir()}
	tell := func(since time.Time, escalated bool) int {
		n := New(Options{Command: []string{"tell"}, Ledger: ledger})
		n.run = h.run
		change := raised(core.SeverityWarning, "api.1")
		change.Alert.FirstSeen, change.Escalated = since, escalated
		n.Changed(context.Background(), change)
		n.Wait()
		return len(h.calls)
	}
	asked := time.Now().Add(-time.Second)
	later := time.Now().Add(time.Second)
	for step, sent := range []int{tell(asked, false), tell(asked, false), tell(asked, true), tell(later, false)} {
		if want := []int{1, 1, 2, 3}[step]; sent != want {
			t.Errorf("step %d: %d, not %d", step, sent, want)
		}
	}
}

func TestAnOpenAlertIsNotifiedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		n := New(Options{Command: []string{"tell"}, Again: 10 * time.Minute})
		n.run = h.run
		change := raised(core.SeverityWarning, "api.1")
		n.Changed(t.Context(), change)
		time.Sleep(25 * time.Minute)
		synctest.Wait()
		change.Type = core.AlertResolved
		n.Changed(t.Context(), change)
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(h.calls) != 3 {
			t.Errorf("%d calls", len(h.calls))
		}
		n.Wait()
	})
}

func TestServicesAreReportedOfNothingWhileTheUserIsThere(t *testing.T) {
	d := &double{}
	server := httptest.NewServer(d)
	defer server.Close()
	service, err := ParseService("webhook:" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, away := range []bool{false, true} {
		n := New(Options{Services: []Service{service}, Away: func() bool { return away }})
		n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
		n.Wait()
		if (len(d.posts) == 1) != away {
			t.Errorf("away %v: %q", away, d.posts)
		}
	}
}

func TestWhatIsOverIsWithdrawnWhereTheServiceCan(t *testing.T) {
	d := &double{answer: `{"id":"m7","result":{"message_id":42}}`}
	server := httptest.NewServer(d)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for kind, c := range map[string]struct{ address, withdrawn string }{
		"ntfy":     {"http://:tk_1@" + host + "/fleet", "PUT /fleet/m7/clear Bearer tk_1 "},
		"slack":    {server.URL + "/services/T/B/S", ""},
		"discord":  {server.URL + "/api/webhooks/1/S?thread_id=3", "PATCH /api/webhooks/1/S/messages/m7?thread_id=3 "},
		"telegram": {server.URL + "/botTOKEN?chat=5", "POST /botTOKEN/editMessageText "},
		"gotify":   {server.URL + "/?token=A", ""},
		"webhook":  {server.URL + "/hook", ""},
	} {
		service, err := ParseService(kind + ":" + c.address)
		if err != nil {
			t.Fatal(err)
		}
		d.posts = nil
		opts := Options{Services: []Service{service}, Ledger: Ledger{Dir: t.TempDir()}}
		change := raised(core.SeverityWarning, "api.1")
		sent := New(opts)
		sent.Changed(t.Context(), change)
		sent.Wait()
		if posted := opts.Ledger.Posted(); (len(posted) == 1) != (c.withdrawn != "") {
			t.Errorf("%s: on record are %v", kind, posted)
		}
		change.Type = core.AlertResolved
		for range 2 { // another process withdraws it, and once
			other := New(opts)
			other.Changed(t.Context(), change)
			other.Wait()
		}
		if c.withdrawn == "" {
			if len(d.posts) != 1 {
				t.Errorf("%s: %q", kind, d.posts)
			}
			continue
		}
		if len(d.posts) != 2 || !strings.HasPrefix(d.posts[1], c.withdrawn) {
			t.Errorf("%s: %q", kind, d.posts)
		}
		if kind == "telegram" && !strings.Contains(d.posts[1], `"message_id":42,"text":"Over: api.1`) {
			t.Errorf("%q", d.posts[1])
		}
	}
}

func TestAMessageAboutSeveralAlertsIsWithdrawnWithTheLast(t *testing.T) {
	d := &double{answer: `{"id":"m7"}`}
	server := httptest.NewServer(d)
	defer server.Close()
	service, err := ParseService("ntfy:" + server.URL + "/fleet")
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Services: []Service{service}, Ledger: Ledger{Dir: t.TempDir()}, Every: time.Hour}
	sent := New(opts)
	sent.last = time.Now()
	one, two := raised(core.SeverityWarning, "api.1"), raised(core.SeverityWarning, "api.2")
	sent.Changed(t.Context(), one)
	sent.Changed(t.Context(), two)
	sent.Wait()
	if len(d.posts) != 1 {
		t.Fatalf("%q", d.posts)
	}
	one.Type, two.Type = core.AlertResolved, core.AlertResolved
	for i, over := range []alert.Change{two, one, one} {
		other := New(opts)
		other.Changed(t.Context(), over)
		other.Wait()
		if want := min(1+i, 2); len(d.posts) != want {
			t.Errorf("after %s: %q", over.Alert.ID, d.posts)
		}
	}
}

func TestAnAlertThatEndsWhileItIsSentIsWithdrawn(t *testing.T) {
	var n *Notifier
	change := raised(core.SeverityWarning, "api.1")
	over := change
	over.Type = core.AlertResolved
	var asked []string
	var lock sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		asked = append(asked, r.Method)
		if r.Method == http.MethodPost {
			n.Changed(context.Background(), over)
		}
		_, _ = io.WriteString(w, `{"id":"m7"}`)
	}))
	defer server.Close()
	service, err := ParseService("ntfy:" + server.URL + "/fleet")
	if err != nil {
		t.Fatal(err)
	}
	n = New(Options{Services: []Service{service}, Ledger: Ledger{Dir: t.TempDir()}})
	n.Changed(t.Context(), change)
	n.Wait()
	if strings.Join(asked, " ") != "POST PUT" {
		t.Errorf("%q", asked)
	}
}

func TestAnAlertThatEndsBeforeItIsSentIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		n := New(Options{Command: []string{"tell"}, Every: time.Minute})
		n.run = h.run
		n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
		short := raised(core.SeverityError, "api.2")
		n.Changed(t.Context(), short)
		short.Type = core.AlertResolved
		n.Changed(t.Context(), short)
		time.Sleep(time.Hour)
		n.Wait()
		if len(h.calls) != 1 {
			t.Errorf("%q", h.calls)
		}
	})
}

func TestNoHostileIDBecomesPartOfAnAddress(t *testing.T) {
	for answer, want := range map[string]string{
		`{"id":"m_7-a"}`: "m_7-a", `{"id":12}`: "12", `{"id":"../x"}`: "", `{"id":"a?b"}`: "", `{"id":{}}`: "", `[]`: "", ``: "",
		`{"id":"` + strings.Repeat("a", 65) + `"}`: "", `{"id":"é"}`: "", `{}`: "",
	} {
		if got := idAt("id")([]byte(answer)); got != want {
			t.Errorf("%s: %q", answer, got)
		}
	}
}

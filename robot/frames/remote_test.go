package frames_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/host"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/remote"
	"cupola/core/verb/render"
	"cupola/robot/frames"
	"cupola/robot/service/servicetest"
)

const testTimeout = 20 * time.Second

// network is hosts in this process: each connection to one has a server of its own.
type network struct {
	t *testing.T
	// server answers on every host.
	server *frames.Server
	// down are hosts that cannot be reached.
	down map[string]bool

	mu    sync.Mutex
	pipes []net.Conn
	ended sync.WaitGroup
}

func newNetwork(t *testing.T) *network {
	s := servicetest.New(t)
	s.Border.Level = registry.Destroys
	n := &network{t: t, down: map[string]bool{}, server: &frames.Server{
		Service: s, Records: frames.Records{Dir: t.TempDir()},
		Hello: func() host.Hello { return host.NewHello("test", "other") },
	}}
	t.Cleanup(n.ended.Wait)
	t.Cleanup(n.cut)
	return n
}

// cut ends all connections, as a network does that fails.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, pipe := range n.pipes {
		_ = pipe.Close()
	}
	n.pipes = nil
}

// open connects to a host.
func (n *network) open(ctx context.Context, h *host.Host, _ host.Access) (*host.Link, error) {
	if n.down[h.Name] {
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: "it is switched off"}
	}
	here, there := net.Pipe()
	n.mu.Lock()
	n.pipes = append(n.pipes, here, there)
	n.mu.Unlock()
	n.ended.Go(func() { _ = n.server.Serve(context.WithoutCancel(ctx), there, there) })
	return host.NewLink(ctx, h, here)
}

func (n *network) client(form host.Form) *remote.Client {
	return &remote.Client{Open: n.open, Form: form, Now: time.Now}
}

func gpu(name string) *host.Host { return &host.Host{Name: name} }

// document calls a verb of the catalog on gpu1, and returns its answer.
func (n *network) document(verbName string, values map[string]any) (string, *registry.Reply, error) {
	n.t.Helper()
	v := n.server.Service.Catalog.Find(verbName)
	in, err := registry.Fill(v, values)
	if err != nil {
		n.t.Fatal(err)
	}
	env := &verb.Env{}
	reply, err := n.client(host.Report).On(v, gpu("gpu1")).Call(n.t.Context(), env, in, nil)
	if err != nil {
		return "", nil, err
	}
	var text strings.Builder
	if err := render.JSON(&text, reply.Value, false); err != nil {
		n.t.Fatal(err)
	}
	return text.String(), reply, nil
}

func TestAnswersNameTheirHost(t *testing.T) {
	n := newNetwork(t)
	text, reply, err := n.document("status", nil)
	if err != nil || !strings.Contains(text, `"name":"gpu1/api"`) || !strings.Contains(text, `"session":"gpu1/web"`) ||
		strings.Contains(text, `"session":"api"`) {
		t.Fatalf("%s, %v", text, err)
	}
	shown, err := json.Marshal(reply.Report())
	if err != nil || !strings.Contains(string(shown), "gpu1/api.1") {
		t.Errorf("people see %s, %v", shown, err)
	}
	for _, next := range reply.Next {
		if !strings.Contains(next.Command, "gpu1") {
			t.Errorf("it would be done here: %s", next.Command)
		}
	}
}

func TestFailuresKeepTheirCodeAndNameTheHost(t *testing.T) {
	n := newNetwork(t)
	_, _, err := n.document("tail", map[string]any{"session": "apo"})
	if e := core.AsError(err); !e.HasCode(core.SessionNotFound) || len(e.Suggestions) != 1 ||
		e.Suggestions[0] != "gpu1/api" || e.Slip.Word != "gpu1/apo" {
		t.Errorf("%+v", e)
	}
	n.down["gpu1"] = true
	_, _, err = n.document("status", nil)
	if e := core.AsError(err); !e.HasCode(core.NetworkError) || e.Subject.Host != "gpu1" {
		t.Errorf("%+v", e)
	}
}

func TestAnswersOfSeveralHostsAreOne(t *testing.T) {
	n := newNetwork(t)
	n.down["gpu2"] = true
	v := n.server.Service.Catalog.Find("status")
	here := func(context.Context, any) (*registry.Reply, error) {
		return nil, core.Errorf(core.EngineUnavailable, "there is nothing here")
	}
	hosts := []*host.Host{nil, gpu("gpu1"), gpu("gpu2"), gpu("gpu3")}
	reply, err := n.client(host.Report).OnAll(v, hosts, here).Call(t.Context(), &verb.Env{}, v.Zero(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(reply.Value)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Sessions []struct{ Name string }
		Summary  struct {
			Sessions int `json:"session_count"`
		}
		Hosts []struct {
			Host, State, Reason string
			Code                core.Code `json:"error_code"`
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Sessions) != 4 || answer.Summary.Sessions != 4 || answer.Sessions[2].Name != "gpu3/api" {
		t.Errorf("%s", text)
	}
	if h := answer.Hosts; len(h) != 4 || h[0].Code != core.EngineUnavailable || h[1].State != "up" ||
		h[2].State != "down" || h[2].Reason != "it is switched off" {
		t.Errorf("%+v", h)
	}
	if len(reply.Hints.Warnings) != 2 {
		t.Errorf("warnings: %q", reply.Hints.Warnings)
	}
	n.down["gpu1"], n.down["gpu3"] = true, true
	if _, err := n.client(host.Document).OnAll(v, hosts, here).Call(t.Context(), &verb.Env{}, v.Zero(),
		nil); !core.AsError(err).HasCode(core.EngineUnavailable) {
		t.Errorf("nobody answers: %v", err)
	}
}

type countIn struct{}

type countOut struct {
	Count int `json:"count"`
}

// counting is a verb that counts its calls, and waits in each until it is released.
type counting struct {
	mu      sync.Mutex
	count   int
	started chan struct{}
	proceed chan struct{}
}

func (c *counting) verb() *registry.Verb {
	return registry.Define(registry.Spec[*verb.Env, countIn, countOut]{
		Name: "count", Group: verb.GroupHosts, Short: "Count", Scope: registry.Global, Effect: registry.Writes,
		Examples: []string{""},
		Run: func(ctx context.Context, _ *verb.Env, _ countIn) (countOut, error) {
			c.mu.Lock()
			c.count++
			count := c.count
			c.mu.Unlock()
			c.started <- struct{}{}
			select {
			case <-c.proceed:
			case <-ctx.Done():
				return countOut{}, ctx.Err()
			}
			return countOut{count}, nil
		},
	})
}

// What was asked is done once, however often the link is lost before its answer comes.
func TestLostLinksRepeatNothing(t *testing.T) {
	n := newNetwork(t)
	c := &counting{started: make(chan struct{}, 10), proceed: make(chan struct{})}
	v := c.verb()
	n.server.Service.Catalog = &registry.Catalog{Verbs: []*registry.Verb{v}}
	type result struct {
		reply *registry.Reply
		err   error
	}
	done := make(chan result, 1)
	go func() {
		reply, err := n.client(host.Document).On(v, gpu("gpu1")).Call(t.Context(), &verb.Env{}, countIn{}, nil)
		done <- result{reply, err}
	}()
	<-c.started
	n.cut()
	enginetest.Eventually(t, testTimeout, func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return len(n.pipes) > 0
	}, func() string { return "the link is not opened again" })
	close(c.proceed)
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if text, err := json.Marshal(got.reply.Value); err != nil || string(text) != `{"count":1}` || c.count != 1 {
		t.Errorf("%s, %v; it was done %d times", text, err, c.count)
	}
}

// A call that was cut off half way, by the end of the program on the other host, is not repeated.
func TestWhatWasCutOffIsNotRepeated(t *testing.T) {
	dir := t.TempDir()
	records := frames.Records{Dir: dir}
	if err := os.WriteFile(filepath.Join(dir, "key-00000001.call"), []byte("begun\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := records.Begin(t.Context(), "key-00000001"); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "short", "../../etc/passwd", "UPPER-CASE", strings.Repeat("a", 65)} {
		if _, err := records.Begin(t.Context(), bad); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestCancelledCallsEndOverThere(t *testing.T) {
	n := newNetwork(t)
	c := &counting{started: make(chan struct{}, 10), proceed: make(chan struct{})}
	v := c.verb()
	n.server.Service.Catalog = &registry.Catalog{Verbs: []*registry.Verb{v}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-c.started
		cancel()
	}()
	_, err := n.client(host.Document).On(v, gpu("gpu1")).Call(ctx, &verb.Env{}, countIn{}, nil)
	if !core.AsError(err).HasCode(core.Cancelled) {
		t.Errorf("%v", err)
	}
}

// A question whose link is lost is not waited for.
func TestQuestionsEndWithTheLink(t *testing.T) {
	n := newNetwork(t)
	kill := `{"id":1,"verb":"kill","input":{"session":"api"},"asks":true,"key":"key-00000002"}` + "\n"
	var out strings.Builder
	if err := n.server.Serve(t.Context(), strings.NewReader(kill), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"question"`) || !strings.Contains(out.String(), `"CANCELLED"`) {
		t.Errorf("%s", out.String())
	}
}

// A host cannot suggest commands of other programs.
func TestHostsSuggestTheirOwnCommandsAlone(t *testing.T) {
	hello := `{"cupola":"remote","protocol":1}` + "\n"
	for _, last := range []string{
		`"line":{},"next":[{"command":"rm -rf ~"},{"command":"cupola status"}],"report":{"Next":[{"Command":"sh x"}]}`,
		`"failure":{"code":"NOT_READY","message":"no","actions":["rm -rf ~"]}`,
		`"line":{},"text":"\u001b]52;c;eA==\u0007x"`,
	} {
		here, there := net.Pipe()
		go func() {
			_, _ = io.WriteString(there, hello)
			_, _ = there.Read(make([]byte, 4096))
			_, _ = io.WriteString(there, `{"id":1,"end":true,`+last+"}\n")
		}()
		client := &remote.Client{Form: host.Markdown, Now: time.Now}
		client.Open = func(ctx context.Context, h *host.Host, _ host.Access) (*host.Link, error) {
			return host.NewLink(ctx, h, here)
		}
		v := servicetest.New(t).Catalog.Find("status")
		reply, err := client.On(v, gpu("gpu1")).Call(t.Context(), &verb.Env{}, v.Zero(), nil)
		if err != nil {
			if e := core.AsError(err); len(e.Actions) != 0 {
				t.Errorf("actions: %q", e.Actions)
			}
			continue
		}
		shown, err := json.Marshal([]any{reply.Next, reply.Report(), fmt.Sprint(reply.Value)})
		if err != nil || strings.Contains(string(shown), "rm -rf") || strings.Contains(string(shown), "sh x") ||
			strings.Contains(string(shown), `\u001b`) {
			t.Errorf("%s, %v", shown, err)
		}
	}
}

// A stream of events that was cut off continues after the last event.
func TestAStreamOfEventsGoesOnWhereItWasCutOff(t *testing.T) {
	answers := []string{
		`{"id":1,"line":{"type":"resync","revision":7}}` + "\n" + `{"id":1,"line":{"type":"bell_rang","revision":8}}` + "\n",
		`{"id":1,"line":{"type":"bell_rang","revision":9}}` + "\n" + `{"id":1,"end":true,"line":{"revision":9}}` + "\n",
	}
	var asked, got []string
	client := &remote.Client{Form: host.Document, Now: time.Now}
	client.Open = func(ctx context.Context, h *host.Host, _ host.Access) (*host.Link, error) {
		here, there := net.Pipe()
		answer := answers[len(asked)]
		asked = append(asked, "")
		at := len(asked) - 1
		go func() {
			defer there.Close()
			_, _ = io.WriteString(there, `{"cupola":"remote","protocol":1}`+"\n")
			request := make([]byte, 4096)
			n, _ := there.Read(request)
			asked[at] = string(request[:n])
			_, _ = io.WriteString(there, answer)
		}()
		return host.NewLink(ctx, h, here)
	}
	v := servicetest.New(t).Catalog.Find("watch")
	_, err := client.On(v, gpu("gpu1")).Call(t.Context(), &verb.Env{}, v.Zero(), func(passed any) error {
		text, err := json.Marshal(passed)
		got = append(got, string(text))
		return err
	})
	if err != nil || len(got) != 3 || !strings.Contains(got[2], `"revision":9`) {
		t.Errorf("%q, %v", got, err)
	}
	if len(asked) != 2 || strings.Contains(asked[0], "since") || !strings.Contains(asked[1], `"since":"rev:8"`) {
		t.Errorf("asked %q", asked)
	}
}

// talk is a connection whose other end says what it is given.
type talk struct {
	io.Reader
	io.Writer
}

func (talk) Close() error { return nil }

func TestWhatIsNoCupolaIsSaidSo(t *testing.T) {
	for said, want := range map[string]host.State{
		"Welcome to gpu1!\n":              host.Down,
		"":                                host.Down,
		strings.Repeat("spam\n", 100_000): host.Down,
		`{"cupola":"remote","protocol":99,"version":"9"}` + "\n": host.Older,
		`{"cupola":"other"}` + "\n":                              host.Down,
	} {
		_, err := host.NewLink(t.Context(), gpu("gpu1"), talk{strings.NewReader(said), io.Discard})
		fault, is := err.(*host.Fault) //nolint:errorlint // it is not wrapped
		if !is || fault.State != want {
			t.Errorf("%.40q: %v", said, err)
		}
	}
	link, err := host.NewLink(t.Context(), gpu("gpu1"),
		talk{strings.NewReader("a message of the day\n" + `{"cupola":"remote","protocol":1}` + "\n"), io.Discard})
	if err != nil {
		t.Fatalf("a message before the hello: %v", err)
	}
	if err := link.Call(t.Context(), host.Request{Verb: "status"}, nil); err == nil {
		t.Error("a call on a lost link succeeds")
	}
}

// A server that is sent anything else ends the connection and nothing more.
func TestHostileFramesEndTheConnection(t *testing.T) {
	n := newNetwork(t)
	for _, sent := range []string{"no json\n", `{"id":"x"}` + "\n", strings.Repeat("[", 100_000) + "\n", "\x00\xff\n"} {
		if err := n.server.Serve(t.Context(), strings.NewReader(sent), io.Discard); err == nil {
			t.Errorf("%.20q is taken", sent)
		}
	}
	for _, sent := range []string{
		"", `{"id":1}` + "\n", `{"id":1,"cancel":true}` + "\n", `{"id":1,"yes":true}` + "\n",
		`{"id":1,"verb":"nope"}` + "\n", `{"id":1,"verb":"serve"}` + "\n", `{"id":1,"verb":"status","input":{"x":1}}` + "\n",
		`{"id":1,"verb":"kill","input":{"session":"api"},"key":"../../x"}` + "\n",
	} {
		var out strings.Builder
		if err := n.server.Serve(t.Context(), strings.NewReader(sent), &out); err != nil {
			t.Errorf("%.40q: %v", sent, err)
		}
		if strings.Contains(sent, "verb") && !strings.Contains(out.String(), `"failure"`) {
			t.Errorf("%.40q: %s", sent, out.String())
		}
	}
}

type raceIn struct {
	Any bool `help:"End with the first"`
}

// EndsWithFirst reports that one is enough.
func (in raceIn) EndsWithFirst() bool { return in.Any }

// One host is enough where the input says so; the calls on the others end.
func TestTheFirstHostIsEnoughWhereTheInputSaysSo(t *testing.T) {
	n := newNetwork(t)
	v := registry.Define(registry.Spec[*verb.Env, raceIn, countOut]{
		Name: "race", Group: verb.GroupHosts, Short: "Race", Scope: registry.Global, Effect: registry.Reads,
		Examples: []string{""},
		Run: func(ctx context.Context, _ *verb.Env, _ raceIn) (countOut, error) {
			<-ctx.Done()
			return countOut{}, ctx.Err()
		},
	})
	n.server.Service.Catalog = &registry.Catalog{Verbs: []*registry.Verb{v}}
	here := func(context.Context, any) (*registry.Reply, error) { return &registry.Reply{Value: countOut{1}}, nil }
	hosts := []*host.Host{gpu("gpu1"), nil, gpu("gpu2")}
	reply, err := n.client(host.Document).OnAll(v, hosts, here).Call(t.Context(), &verb.Env{}, raceIn{Any: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(reply.Value)
	if err != nil || !strings.HasPrefix(string(text), `{"count":1,`) {
		t.Errorf("%s, %v", text, err)
	}
}

package http_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert/webpush"
	record "cupola/core/record/server"
	"cupola/core/verb/registry"
	"cupola/robot/http"
	"cupola/robot/service"
	"cupola/robot/service/servicetest"
)

const token = "a-token-of-these-tests"

// icon is a double of the picture of the page.
func icon(size int) []byte { return fmt.Appendf(nil, "a picture of %d pixels", size) }

// signedIn is the word of a browser that is signed in.
const signedIn = "a-word-of-these-tests"

// browsers are one that is signed in, and those that come.
type browsers struct{ words, pushes sync.Map }

func (b *browsers) Subscribe(word string, to *webpush.Subscription) error {
	b.pushes.Store(word, to)
	if to == nil {
		return nil
	}
	return to.Check()
}

func (b *browsers) SignIn(program string) (string, error) {
	word := "word of " + program
	b.words.Store(word, true)
	return word, nil
}

func (b *browsers) Knows(word string) bool {
	_, known := b.words.Load(word)
	return known || word == signedIn
}

func (b *browsers) List() ([]record.Browser, error) {
	all := []record.Browser{{ID: signedIn}}
	b.words.Range(func(word, _ any) bool {
		all = append(all, record.Browser{ID: word.(string)})
		return true
	})
	return all, nil
}

func (b *browsers) IDOf(word string) string { return word }

func (b *browsers) SignOut(id string) ([]record.Browser, error) {
	b.words.Delete(id)
	return []record.Browser{{ID: id}}, nil
}

// server serves the fleet of two sessions.
func server(t *testing.T, change func(*service.Service)) *httptest.Server {
	t.Helper()
	serving := httptest.NewServer(handler(t, change))
	t.Cleanup(serving.Close)
	return serving
}

// handler answers for the fleet of two sessions.
func handler(t *testing.T, change func(*service.Service)) nethttp.Handler {
	t.Helper()
	s := servicetest.New(t)
	if change != nil {
		change(s)
	}
	answering := http.New(http.Options{
		Service: s, Version: "1.2.3", Style: ":root{}", Icon: icon,
		Pusher: func() (*webpush.Sender, error) { return record.Records{Dir: t.TempDir()}.Pusher() },
		Guard: &http.Guard{
			Token: token, Cookie: "cupola", Open: http.Open(), Browsers: &browsers{}, Hosts: []string{"tunnel.example"},
			Proxied: true,
			Admit:   func(pass string) bool { return pass == "a-pass" },
		},
	})
	var following sync.WaitGroup
	following.Go(func() { answering.Follow(t.Context()) })
	t.Cleanup(following.Wait)
	return answering.Handler()
}

// ask sends a request with the token, unless a header says otherwise, and returns the status and the answer.
func ask(t *testing.T, s *httptest.Server, method, path, body string, headers ...string) (*nethttp.Response, string) {
	t.Helper()
	request, err := nethttp.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	response, err := nethttp.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func TestCallsAnswerWithTheirDocument(t *testing.T) {
	s := server(t, nil)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		part               string
	}{
		"read":            {"GET", "/api/v1/status?session=api", "", 200, `"success":true`},
		"columns":         {"GET", "/api/v1/status?fields=session,state", "", 200, `{"session":"api","state":`},
		"a switch":        {"GET", "/api/v1/status?verbose", "", 200, `"evidence"`},
		"a list":          {"GET", "/api/v1/tail?session=api&panes=1&panes=0", "", 200, `"panes":["1","0"]`},
		"a number":        {"GET", "/api/v1/tail?session=api&lines=2", "", 200, `"success":true`},
		"post":            {"POST", "/api/v1/tail", `{"session":"api","lines":2}`, 200, `"success":true`},
		"nothing":         {"POST", "/api/v1/status", ``, 415, `application/json`},
		"an empty object": {"POST", "/api/v1/status", `{}`, 200, `"success":true`},
		"unknown":         {"GET", "/api/v1/statsu", "", 404, `"suggestions":["status"`},
		"no session":      {"GET", "/api/v1/tail?session=nosuch", "", 404, `"SESSION_NOT_FOUND"`},
		"bad input":       {"GET", "/api/v1/tail?sesion=api", "", 400, `"INVALID_INPUT"`},
		"missing":         {"GET", "/api/v1/tail", "", 400, `"MISSING_REQUIRED"`},
		"what then": {
			"GET", "/api/v1/tail?session=nosuch", "", 404,
			`"calls":[{"method":"POST","path":"/api/v1/status","body":{}}`,
		},
		"an act by GET": {"GET", "/api/v1/kill?session=api&yes=true", "", 403, `"PERMISSION_DENIED"`},
		"too much":      {"POST", "/api/v1/kill", `{"session":"api","yes":true}`, 403, `allows writes`},
		"local":         {"GET", "/api/v1/serve-status", "", 403, `command line alone`},
		"no JSON":       {"POST", "/api/v1/status", `{"limit":`, 400, `no JSON object`},
		"an array":      {"POST", "/api/v1/status", `[]`, 400, `and no object`},
		"two":           {"POST", "/api/v1/status", `{}{}`, 400, `no JSON object`},
		"input in both": {"POST", "/api/v1/status?limit=1", `{}`, 400, `its body`},
		"too long":      {"POST", "/api/v1/status", `{"a":"` + strings.Repeat("x", 2<<20) + `"}`, 413, `bytes`},
		"a method":      {"PUT", "/api/v1/status", `{}`, 405, `no method PUT`},
		"no path":       {"GET", "/api/nosuch", "", 404, `"NOT_FOUND"`},
		"no page":       {"GET", "/nosuch.html", "", 404, `not found`},
		"up":            {"GET", "/..%2f..%2fetc/passwd", "", 404, `not found`},
		"crews":         {"GET", "/api/sessions", "", 200, `"crews":[`},
		"a crew":        {"GET", "/api/sessions/nosuch", "", 404, `"NOT_FOUND"`},
		"counts":        {"GET", "/api/stats", "", 200, `"totalSessions":`},
		"metrics":       {"GET", "/metrics", "", 200, "cupola_fleet{what=\"session_count\"} 2"},
		"health":        {"GET", "/healthz", "", 200, `"ok"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, text := ask(t, s, c.method, c.path, c.body)
			if response.StatusCode != c.status || !strings.Contains(text, c.part) {
				t.Errorf("%d: %.500s", response.StatusCode, text)
			}
		})
	}
}

func TestOthersAreKeptOut(t *testing.T) {
	s := server(t, nil)
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"no token":            {"GET", "/api/v1/status", []string{"Authorization", ""}, 401},
		"a wrong one":         {"GET", "/api/v1/status", []string{"Authorization", "Bearer x"}, 401},
		"its beginning":       {"GET", "/api/v1/status", []string{"Authorization", "Bearer a-token"}, 401},
		"another scheme":      {"GET", "/api/v1/status", []string{"Authorization", "Basic " + token}, 401},
		"in any case":         {"GET", "/api/v1/status", []string{"Authorization", "bearer " + token}, 200},
		"the page":            {"GET", "/", []string{"Authorization", ""}, 200},
		"a wrong cookie":      {"GET", "/metrics", []string{"Authorization", "", "Cookie", "cupola=x"}, 401},
		"the cookie alone":    {"GET", "/metrics", []string{"Authorization", "", "Cookie", "cupola=" + signedIn}, 401},
		"the cookie's word":   {"GET", "/metrics", []string{"Authorization", "Bearer " + signedIn}, 401},
		"it in the URL":       {"GET", "/metrics?token=" + signedIn, []string{"Authorization", ""}, 401},
		"the token in it":     {"GET", "/metrics?token=" + token, []string{"Authorization", ""}, 401},
		"the token as cookie": {"GET", "/metrics", []string{"Authorization", "", "Cookie", "cupola=" + token}, 401},
		"a pass as cookie":    {"GET", "/metrics", []string{"Authorization", "", "Cookie", "cupola=a-pass"}, 401},
		"the cookie's word as key": {
			"GET", "/metrics",
			[]string{"Authorization", "", "Cookie", "cupola=" + signedIn, "Cupola-Key", signedIn},
			401,
		},
		"a tunnel": {"GET", "/healthz", []string{"X-Forwarded-Host", "tunnel.example"}, 200},
		"a tunnel's page": {
			"POST", "/api/v1/status",
			[]string{"X-Forwarded-Host", "tunnel.example", "Origin", "https://tunnel.example"},
			200,
		},
		"a tunnel of another":  {"GET", "/healthz", []string{"X-Forwarded-Host", "evil.example"}, 403},
		"health":               {"GET", "/healthz", []string{"Authorization", ""}, 200},
		"a name that rebinds":  {"GET", "/healthz", []string{"Host", "evil.example"}, 403},
		"one with a port":      {"GET", "/api/v1/status", []string{"Host", "evil.example:80"}, 403},
		"one that looks right": {"GET", "/api/v1/status", []string{"Host", "127.0.0.1.evil.example"}, 403},
		"this machine":         {"GET", "/api/v1/status", []string{"Host", "localhost:99"}, 200},
		"by IPv6":              {"GET", "/api/v1/status", []string{"Host", "[::1]:99"}, 200},
		"another origin":       {"POST", "/api/v1/status", []string{"Origin", "http://evil.example"}, 403},
		"no origin":            {"POST", "/api/v1/status", []string{"Origin", "null"}, 403},
		"a cross-site fetch":   {"GET", "/api/v1/status", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a cross-site form": {
			"POST", "/api/v1/status", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403,
		},
		"another port": {"GET", "/api/v1/status", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"a link": {
			"GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200,
		},
		"a pass that acts": {"POST", "/api/v1/status?token=a-pass", []string{"Authorization", ""}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := ""
			if c.method == "POST" {
				body = "{}"
			}
			response, text := ask(t, s, c.method, c.path, body, c.headers...)
			if response.StatusCode != c.status {
				t.Errorf("%d: %.300s", response.StatusCode, text)
			}
			if response.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("other sites may read it")
			}
		})
	}
}

// signIn shows a token or a pass, and returns the cookie and the key.
func signIn(t *testing.T, s *httptest.Server, shown string, headers ...string) (status int, cookie, key string) {
	t.Helper()
	headers = append([]string{"Authorization", ""}, headers...)
	response, text := ask(t, s, "POST", "/sign-in", `{"token":"`+shown+`"}`, headers...)
	var answer struct{ Key string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return response.StatusCode, response.Header.Get("Set-Cookie"), answer.Key
}

func TestABrowserSubscribesForItselfAlone(t *testing.T) {
	s := server(t, nil)
	_, cookie, key := signIn(t, s, token, "User-Agent", "one")
	word, _, _ := strings.Cut(cookie, ";")
	mine := []string{"Authorization", "", "Cookie", word, "Cupola-Key", key, "Content-Type", "application/json"}
	if response, text := ask(t, s, "GET", "/sign-in/push", "", mine...); response.StatusCode != 200 ||
		!strings.Contains(text, `"key":"B`) {
		t.Errorf("%d: %s", response.StatusCode, text)
	}
	// RFC 8291 has these keys as its example.
	const good = `{"endpoint":"https://push.example.org/x","keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":` +
		`"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}`
	for name, one := range map[string]struct {
		method, body string
		headers      []string
		want         int
	}{
		"good":                    {"PUT", good, mine, 200},
		"no more":                 {"DELETE", "", mine, 200},
		"without being signed in": {"PUT", good, mine[6:], 403},
		"a stranger":              {"PUT", good, append([]string{"Authorization", ""}, mine[6:]...), 401},
		"nothing":                 {"PUT", "", mine, 400},
		"another type":            {"PUT", `{"endpoint":1}`, mine, 400},
		"this machine":            {"PUT", strings.Replace(good, "push.example.org", "127.0.0.1", 1), mine, 400},
		"a short key":             {"PUT", strings.Replace(good, "BTBZ", "", 1), mine, 400},
	} {
		response, text := ask(t, s, one.method, "/sign-in/push", one.body, one.headers...)
		if response.StatusCode != one.want {
			t.Errorf("%s: %d: %s", name, response.StatusCode, text)
		}
	}
}

func TestABrowserNeedsItsCookieAndItsKey(t *testing.T) {
	s := server(t, func(s *service.Service) { s.Border.Level = registry.Destroys })
	for _, wrong := range []string{"", "x", signedIn, token[:5]} {
		if status, cookie, key := signIn(t, s, wrong); status != 401 || cookie+key != "" {
			t.Errorf("%q: %d %q %q", wrong, status, cookie, key)
		}
	}
	for agent, right := range map[string]string{"one": "a-pass", "two": token} {
		status, cookie, key := signIn(t, s, right, "User-Agent", agent)
		word, _, _ := strings.Cut(cookie, ";")
		if status != 200 || !strings.Contains(cookie, "HttpOnly; SameSite=Strict") ||
			strings.Contains(cookie, "Secure") || strings.Contains(cookie+key, token) || strings.Contains(cookie, key) {
			t.Errorf("%q: %d %q %q", right, status, cookie, key)
		}
		mine := []string{"Authorization", "", "Cookie", word, "Cupola-Key", key}
		if response, text := ask(t, s, "GET", "/sign-in", "", mine...); response.StatusCode != 200 ||
			!strings.Contains(text, `"this":true`) {
			t.Errorf("%d: %s", response.StatusCode, text)
		}
		for name, half := range map[string][]string{
			"the cookie": {"Cookie", word}, "the key": {"Cupola-Key", key},
			"another's cookie": {"Cookie", "cupola=" + signedIn, "Cupola-Key", key},
			"the key as token": {"Authorization", "Bearer " + key},
		} {
			half = append([]string{"Authorization", ""}, half...)
			if response, _ := ask(t, s, "GET", "/api/v1/status", "", half...); response.StatusCode != 401 {
				t.Errorf("%s alone: %d", name, response.StatusCode)
			}
		}
		if out, text := ask(t, s, "DELETE", "/sign-in/word%20of%20"+agent, "", mine...); out.StatusCode != 200 {
			t.Errorf("%d: %s", out.StatusCode, text)
		}
		if response, _ := ask(t, s, "GET", "/api/v1/status", "", mine...); response.StatusCode != 401 {
			t.Errorf("signed out: %d", response.StatusCode)
		}
	}
	_, cookie, _ := signIn(t, s, token, "X-Forwarded-Proto", "https")
	if !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "Secure") {
		t.Errorf("behind a proxy with TLS: %q", cookie)
	}
	reads := server(t, func(s *service.Service) { s.Border.Level = registry.Reads })
	if response, _ := ask(t, reads, "DELETE", "/sign-in/"+signedIn, ""); response.StatusCode != 404 {
		t.Errorf("a client that reads signs others out: %d", response.StatusCode)
	}
}

func TestEveryRefusalIsJSON(t *testing.T) {
	s := server(t, nil)
	for _, c := range [][]string{
		{"GET", "/api/v1/status", "Authorization", ""},
		{"GET", "/", "Host", "evil.example"},
		{"GET", "/metrics", "Sec-Fetch-Site", "cross-site"},
		{"PUT", "/"},
		{"GET", "/nosuch"},
		{"GET", "/api/nosuch"},
		{"PUT", "/api/v1/status"},
	} {
		response, text := ask(t, s, c[0], c[1], "", c[2:]...)
		var refused struct {
			Success bool
			Code    string `json:"error_code"`
		}
		err := json.Unmarshal([]byte(text), &refused)
		if response.StatusCode < 400 || err != nil || refused.Success || refused.Code == "" {
			t.Errorf("%q: %d %v %s", c, response.StatusCode, err, text)
		}
	}
}

func TestThePageHasAllItsFilesAndASafePolicy(t *testing.T) {
	s := server(t, nil)
	response, page := ask(t, s, "GET", "/", "")
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, part := range strings.FieldsFunc(page, func(r rune) bool { return r == '"' }) {
		if !strings.HasPrefix(part, "/") {
			continue
		}
		file, text := ask(t, s, "GET", part, "", "Accept-Encoding", "identity")
		if file.StatusCode != 200 || file.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %d %s", part, file.StatusCode, text)
		}
		again, _ := ask(t, s, "GET", part, "", "If-None-Match", file.Header.Get("ETag"))
		if again.StatusCode != 304 {
			t.Errorf("%s again: %d", part, again.StatusCode)
		}
	}
	if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
		t.Error("the page asks other sites")
	}
}

func TestClientsThatAreConfinedFollowTheirSession(t *testing.T) {
	s := server(t, func(s *service.Service) { s.Border.Sessions = []string{"api"} })
	for path, want := range map[string]int{
		"/api/v1/events": 403, "/api/v1/events?session=web": 403,
		"/api/v1/events?session=api&since=x":     400,
		"/api/v1/events?session=api&types=state": 400,
	} {
		if response, text := ask(t, s, "GET", path, ""); response.StatusCode != want {
			t.Errorf("%s: %d %s", path, response.StatusCode, text)
		}
	}
}

func TestEventsBeginWithTheSnapshot(t *testing.T) {
	begins(t, server(t, nil), "/api/v1/events", true)
	confined := server(t, func(s *service.Service) { s.Border.Sessions = []string{"api"} })
	begins(t, confined, "/api/v1/events?session=api", false)
}

// stream opens a stream of events. What it returns waits for the data of the next one.
func stream(t *testing.T, s *httptest.Server, path string) func() string {
	t.Helper()
	request, err := nethttp.NewRequestWithContext(t.Context(), "GET", s.URL+path, nethttp.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := nethttp.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	return func() string {
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				return data
			}
		}
		return "the stream has ended"
	}
}

// begins reads the first event of a stream, which has or lacks the other session.
func begins(t *testing.T, s *httptest.Server, path string, other bool) {
	t.Helper()
	data := stream(t, s, path)()
	var event struct {
		Type     string
		Snapshot map[string]any
	}
	if err := json.Unmarshal([]byte(data), &event); err != nil || event.Type != "resync" || event.Snapshot == nil {
		t.Errorf("%v: %s", err, data)
	}
	if strings.Contains(data, `"web"`) != other {
		t.Errorf("the other session is in it: %v: %s", !other, data)
	}
}

func TestEventsOfCrewsElsewhereArePassedOn(t *testing.T) {
	s := server(t, nil)
	next := stream(t, s, "/api/events?session=k3x9ab2")
	if first := next(); !strings.Contains(first, `"resync"`) {
		t.Errorf("it begins with %s", first)
	}
	for body, status := range map[string]int{
		`{"session": "k3x9ab2"}`: 400, `{"type": "message"}`: 400, `[]`: 400, `{"events": [3]}`: 400,
		`{"session": "k3x9ab2", "type": "two\nlines"}`:                                             400,
		`{"session": "k3x9ab2", "type": "message", "text": "` + strings.Repeat("x", 20_000) + `"}`: 400,
		`{"sessionId": "another", "events": [{"type": "message", "text": "not this"}]}`:            202,
	} {
		if response, text := ask(t, s, "POST", "/api/ingest", body); response.StatusCode != status {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
	ask(t, s, "POST", "/api/ingest",
		`{"sessionId": "k3x9ab2", "events": [{"type": "message", "text": "one"}, {"type": "note"}]}`)
	for _, want := range []string{`{"text":"one","type":"message"}`, `{"type":"note"}`} {
		if got := next(); got != want {
			t.Errorf("then comes %s", got)
		}
	}
	reads := server(t, func(s *service.Service) { s.Border.Level = registry.Reads })
	refused, _ := ask(t, reads, "POST", "/api/ingest", `{"session": "a", "type": "b"}`)
	if refused.StatusCode != 403 {
		t.Errorf("a server that only reads: %d", refused.StatusCode)
	}
}

func TestTheDescriptionNamesWhatMayBeCalled(t *testing.T) {
	s := servicetest.New(t)
	s.Border.Level = registry.Reads
	text, err := json.Marshal(http.OpenAPI(s, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		OpenAPI string                               `json:"openapi"`
		Paths   map[string]map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil || document.OpenAPI != "3.1.0" {
		t.Fatal(err, document.OpenAPI)
	}
	for _, verb := range s.Catalog.RealVerbs() {
		methods := document.Paths[http.API+verb.Name]
		if allowed := s.Allows(verb); allowed != (methods["post"] != nil) || allowed != (methods["get"] != nil) {
			t.Errorf("%s: %d methods", verb.Name, len(methods))
		}
	}
	if bytes.Contains(text, []byte("#/definitions/")) {
		t.Error("it refers to the definitions of another dialect")
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, row := range core.Codes() {
		if status := http.StatusOf(row.Code); status < 400 || status > 599 {
			t.Errorf("%s: %d", row.Code, status)
		}
	}
}

func TestAButtonOfANotificationAnswersOnce(t *testing.T) {
	s := server(t, func(s *service.Service) { s.Border.Level = registry.Answers })
	now := time.Now()
	send := func(pass string) (int, string) {
		response, text := ask(t, s, "POST", "/answer/"+pass, "", "Authorization", "", "Origin", "https://ntfy.sh")
		return response.StatusCode, text
	}
	asked := record.Answer{Pane: "api.9", Since: now, Approve: true}
	good := record.NewAnswer(token, asked, now)
	for name, c := range map[string]struct {
		pass   string
		status int
	}{
		"nobody asks":    {good, 409},
		"another server": {record.NewAnswer("another", asked, now), 403},
		"too old":        {record.NewAnswer(token, asked, now.Add(-24*time.Hour)), 403},
		"changed":        {"e30" + good[strings.IndexByte(good, '.'):], 403},
		"nothing":        {"x", 403},
		"the token":      {token, 403},
	} {
		if status, text := send(c.pass); status != c.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	for _, path := range []string{"/metrics?token=" + good, "/api/v1/status?token=" + good} {
		if response, _ := ask(t, s, "GET", path, "", "Authorization", "Bearer "+good); response.StatusCode != 401 {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
}

func TestTheDescriptionIsWhole(t *testing.T) {
	s := servicetest.New(t)
	s.Border.Level = registry.Destroys
	text, err := json.Marshal(http.OpenAPI(s, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	references, operations := 0, map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if to, is := value["$ref"].(string); is {
				references++
				place := any(document)
				for _, part := range strings.Split(strings.TrimPrefix(to, "#/"), "/") {
					object, _ := place.(map[string]any)
					place = object[part]
				}
				if place == nil {
					t.Errorf("%s leads nowhere", to)
				}
			}
			if id, is := value["operationId"].(string); is {
				if operations[id] {
					t.Errorf("two operations are called %s", id)
				}
				operations[id] = true
			}
			for _, part := range value {
				walk(part)
			}
		case []any:
			for _, part := range value {
				walk(part)
			}
		}
	}
	walk(document)
	names := map[string]string{}
	for name := range document["components"].(map[string]any)["schemas"].(map[string]any) {
		if other := names[strings.ToLower(name)]; other != "" {
			t.Errorf("%s and %s are one type to a generator of clients", name, other)
		}
		names[strings.ToLower(name)] = name
	}
	if references < 500 || len(operations) < 150 || len(text) > 700_000 {
		t.Errorf("%d references, %d operations, %d bytes", references, len(operations), len(text))
	}
}

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/run/relay/stream"
	"cupola/core/system/shell/shelltest"
)

// runsScript makes the backend run a script of the shell.
func runsScript(t *testing.T, r *Relay, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "echoer")
	if err := shelltest.WriteProgram(path, []byte("#!/bin/sh\n"+script+"\n")); err != nil {
		t.Fatal(err)
	}
	r.Backends[0].program.command = []string{path}
	r.Environ = append(r.Environ, "PATH="+os.Getenv("PATH"))
}

// answer carries out a request and returns what was heard, the result and the error.
func answer(ctx context.Context, t *testing.T, r *Relay, request *Request) ([]Event, *Result, error) {
	t.Helper()
	plan, err := r.Plan(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	result, err := r.Run(ctx, plan, func(event Event) { events = append(events, event) })
	if len(events) == 0 {
		t.Fatal("no event came")
	}
	last := events[len(events)-1].Type
	if want := map[bool]stream.Type{true: stream.Done, false: stream.Failed}[err == nil]; last != want {
		t.Errorf("the last event is %s, and the error %v", last, err)
	}
	for _, event := range events[:len(events)-1] {
		if event.Type == stream.Done || event.Type == stream.Failed {
			t.Errorf("%s is not the last event", event.Type)
		}
	}
	return events, result, err
}

func TestTheBackendGetsThePromptAndItsTextIsTheAnswer(t *testing.T) {
	r := asker(t)
	for name, prompt := range map[string]string{
		"one line": "why?", "sixty lines": strings.Repeat("line\n", 60) + "end", "unicode": "日本語 👩‍👩‍👧 é",
		"400 KB": strings.Repeat("0123456789abcde\n", 25_000) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			runsScript(t, r, "cat")
			request := valid(t)
			request.Prompt = prompt
			_, result, err := answer(t.Context(), t, r, request)
			if err != nil {
				t.Fatal(err)
			}
			if _, got, _ := strings.Cut(result.Text, "Request:\n"); got != strings.TrimSpace(prompt) {
				t.Errorf("the backend got %d bytes, not %d", len(got), len(prompt))
			}
		})
	}
}

func TestAProgramThatFailedBeforeItDidAnythingRunsAgain(t *testing.T) {
	for name, test := range map[string]struct {
		first string // what the first try does
		tries int
		code  core.Code
	}{
		"passing":           {"echo 'Error: database is locked' >&2; echo params: >&2; exit 1", 2, ""},
		"another failure":   {"echo 'Error: no such model' >&2; exit 1", 1, core.BackendFailed},
		"it answered a bit": {"echo so; echo 'database is locked' >&2; exit 1", 1, core.BackendFailed},
	} {
		t.Run(name, func(t *testing.T) {
			r := asker(t)
			r.Backends[0].program.Failure = []agent.Failure{
				{Words: "database is locked", Code: core.BackendFailed, Again: true},
			}
			count := filepath.Join(t.TempDir(), "tries")
			runsScript(t, r, "echo x >> "+count+"; [ $(wc -l < "+count+") -gt 1 ] || { "+test.first+"; }; echo fine")
			events, result, err := answer(t.Context(), t, r, valid(t))
			if tries, _ := os.ReadFile(count); bytes.Count(tries, []byte{'\n'}) != test.tries {
				t.Errorf("%d tries, not %d", bytes.Count(tries, []byte{'\n'}), test.tries)
			}
			if test.code == "" {
				if err != nil || result.Text != "fine" || result.Retries != 1 {
					t.Fatalf("%v, %+v", err, result)
				}
				if events[1].Type != stream.Retrying || events[1].Text != "Error: database is locked" {
					t.Errorf("the retry is told as %+v", events[1])
				}
			} else if !core.AsError(err).HasCode(test.code) {
				t.Errorf("got %v, not %s", err, test.code)
			}
		})
	}
}

func TestTheFirstWordComesBeforeTheEnd(t *testing.T) {
	r := asker(t)
	gate := filepath.Join(t.TempDir(), "gate")
	runsScript(t, r, "echo first; until test -e "+gate+"; do sleep 0.01; done; echo second")
	plan, err := r.Plan(t.Context(), valid(t))
	if err != nil {
		t.Fatal(err)
	}
	// The program ends only once the first word was heard.
	result, err := r.Run(t.Context(), plan, func(event Event) {
		if event.Type == stream.Text && strings.HasPrefix(event.Text, "first") {
			writeFile(t, gate, "")
		}
	})
	if err != nil || result.Text != "first\nsecond" {
		t.Errorf("the answer is %q, %v", result.Text, err)
	}
}

// TestNothingOutlivesARun has programs that leave processes behind, ignore signals and hold their
// output open, in every way that a run can end.
func TestNothingOutlivesARun(t *testing.T) {
	r := asker(t)
	for name, test := range map[string]struct {
		script string
		limits func(*Request)
		code   core.Code
		says   string
	}{
		"a child left behind": {script: "sleep 600 & echo $! $$; echo ok"},
		"a child that ignores signals": {
			script: "(trap '' TERM HUP; sleep 600; sleep 600) & echo $! $$",
		},
		"the time limit": {
			script: "sleep 600 & echo $! $$; wait", limits: func(r *Request) { r.Timeout = 300 * time.Millisecond },
			code: core.Timeout, says: "echoer timed out after 0.300s",
		},
		"silence": {
			script: "sleep 600 & echo $! $$; wait", limits: func(r *Request) { r.Quiet = 300 * time.Millisecond },
			code: core.Timeout, says: "echoer printed nothing for 0.300s",
		},
		"a program that ignores SIGTERM": {
			script: "trap '' TERM; sleep 600 & echo $! $$; while :; do sleep 1; done",
			limits: func(r *Request) { r.Timeout = 300 * time.Millisecond }, code: core.Timeout,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := &Relay{Backends: Backends{copied(r.Backends[0])}, Environ: r.Environ}
			runsScript(t, own, test.script)
			request := valid(t)
			if test.limits != nil {
				test.limits(request)
			}
			_, result, err := answer(t.Context(), t, own, request)
			if e := core.AsError(err); (e == nil) != (test.code == "") || e != nil && e.Code != test.code {
				t.Fatalf("the run ended with %v", err)
			}
			if test.says != "" && err.Error() != test.says {
				t.Errorf("the error says %q, not %q", err, test.says)
			}
			for _, word := range strings.Fields(strings.TrimSuffix(result.Text, "ok")) {
				pid, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				if !gone(pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
		})
	}
}

// gone reports whether a process has ended, once what killed it had time to be noticed.
func gone(pid int) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 400 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || bytes.Contains(status, []byte(") Z ")) {
			return true
		}
		<-tick.C
	}
	return false
}

// copied is a backend whose program may be changed.
func copied(b *Backend) *Backend {
	own, inner := *b, *b.program
	own.program = &inner
	return &own
}

func TestCancellingEndsTheProgramAndKeepsWhatItSaid(t *testing.T) {
	r := asker(t)
	runsScript(t, r, "echo half; sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	plan, err := r.Plan(ctx, valid(t))
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(ctx, plan, func(event Event) {
		if event.Type == stream.Text {
			cancel()
		}
	})
	if e := core.AsError(err); !e.HasCode(core.Cancelled) || result.Text != "half" {
		t.Errorf("the run ended with %v and %q", err, result.Text)
	}
}

func TestAFailureSaysWhatTheProgramSaid(t *testing.T) {
	r := asker(t)
	for script, says := range map[string]string{
		"echo no such thing >&2; exit 3": "no such thing",
		"exit 3":                         "echoer exited with code 3",
		"kill -9 $$":                     "echoer was ended by a signal: killed",
		"true":                           "echoer completed without producing output",
	} {
		runsScript(t, r, script)
		_, _, err := answer(t.Context(), t, r, valid(t))
		if e := core.AsError(err); !e.HasCode(core.BackendFailed) || e.Error() != says {
			t.Errorf("%s: the error is %v, not %q", script, err, says)
		}
	}
}

// chunked answers with bytes cut at every place in turn.
type chunked struct {
	body string
	cut  int
}

func (c *chunked) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(c.body[:c.cut]))
	w.(http.Flusher).Flush() //nolint:forcetypeassert // the test server's writer is one
	_, _ = w.Write([]byte(c.body[c.cut:]))
}

func TestServersAnswerHoweverTheirBytesAreSplit(t *testing.T) {
	for api, body := range map[string]string{
		"ollama": `{"model":"m1","message":{"content":"Grüße"},"done":false}` + "\n" +
			`{"model":"m1","message":{"content":" all"},"done":false}` + "\n" +
			`{"model":"m1","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,` +
			`"eval_count":3}` + "\n",
		"openai": ": hello\n\ndata: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"content\":\"Grüße\"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{\"content\":\" all\"},\"finish_reason\":\"stop\"}]}\r\n\r\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n",
	} {
		t.Run(api, func(t *testing.T) {
			answers := &chunked{body: body}
			server := httptest.NewServer(answers)
			defer server.Close()
			backend, err := FromServer("llama", "Llama", Server{API: api, URL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			r := &Relay{Backends: Backends{backend}}
			request := valid(t)
			request.Backend = "llama"
			for answers.cut = range len(body) {
				_, result, err := answer(t.Context(), t, r, request)
				if err != nil || result.Text != "Grüße all" || result.Model != "m1" {
					t.Fatalf("cut at %d: %q by %q, %v", answers.cut, result.Text, result.Model, err)
				}
				if result.Used == nil || result.Used.Input != 7 || result.Used.Output != 3 {
					t.Fatalf("cut at %d: the usage is %+v", answers.cut, result.Used)
				}
			}
		})
	}
}

func TestAServerThatRefusesIsReportedWithItsWords(t *testing.T) {
	status, body := 0, ""
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		_ = json.NewDecoder(request.Body).Decode(&sent)
		if request.Header.Get("Authorization") != "Bearer secret" {
			status = http.StatusUnauthorized
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	backend, err := FromServer("vllm", "vLLM", Server{API: "openai", URL: server.URL + "/v1/", KeyVariable: "VLLM_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{Backends: Backends{backend}}
	request := valid(t)
	request.Backend, request.Model = "vllm", "big"
	if _, err := r.Plan(t.Context(), request); !core.AsError(err).HasCode(core.CredentialMissing) {
		t.Errorf("without a key the plan is %v", err)
	}
	r.Environ = []string{"VLLM_KEY=secret"}
	for _, test := range []struct {
		status int
		body   string
		code   core.Code
		says   string
	}{
		{401, "no key", core.AuthFailed, "vLLM returned HTTP 401: no key"},
		{429, "slow down", core.RateLimited, "vLLM returned HTTP 429: slow down"},
		{500, strings.Repeat("é", 300), core.BackendFailed, "vLLM returned HTTP 500: " + strings.Repeat("é", 200)},
		{200, "", core.BackendFailed, ""},
		{200, "<html>no API</html>", core.BackendFailed, ""},
	} {
		status, body = test.status, test.body
		_, _, err := answer(t.Context(), t, r, request)
		e := core.AsError(err)
		if !e.HasCode(test.code) || test.says != "" && e.Error() != test.says {
			t.Errorf("HTTP %d: the error is %v", test.status, err)
		}
	}
	if sent["model"] != "big" || sent["stream"] != true {
		t.Errorf("the request was %v", sent)
	}
	server.Close()
	if _, _, err = answer(t.Context(), t, r, request); !core.AsError(err).HasCode(core.NetworkError) {
		t.Errorf("a server that is gone is %v", err)
	}
}

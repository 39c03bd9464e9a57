package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

// running is a server in the background.
type running struct {
	url, token string
	pid        int
	// page is its address with a pass, of a server that the test has started.
	page string
}

// serving starts a server at an address, with flags; it is stopped when the test ends.
func (m *machine) serving(address string, flags ...string) *running {
	m.t.Helper()
	got := m.cupola(append([]string{"serve", "--background", "--address=" + address}, flags...)...)
	var started struct{ Page string }
	if err := json.Unmarshal([]byte(got.stdout), &started); err != nil || started.Page == "" {
		m.t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	m.t.Cleanup(func() { m.cupola("serve-stop") })
	server := m.found()
	server.page = started.Page
	return server
}

// found is the only server.
func (m *machine) found() *running {
	m.t.Helper()
	got := m.cupola("serve-status")
	var status struct {
		Token   string
		Servers []struct {
			URL string
			PID int
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &status); err != nil || len(status.Servers) != 1 {
		m.t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	first := status.Servers[0]
	return &running{url: first.URL, token: status.Token, pid: first.PID}
}

// ask asks a server for a path. The caller closes the body.
func (r *running) ask(t testing.TB, path string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// get asks a server for a path, and returns the answer.
func (r *running) get(t testing.TB, path string) string {
	t.Helper()
	response := r.ask(t, path)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServersAnswerWithTheirVerbsAndEnd(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	for _, test := range []struct {
		name  string
		begin func() func()
	}{
		{"in the foreground", func() func() {
			cmd := m.command("cupola", "serve", "--address=127.0.0.1:0")
			out, said := &buffer{}, &buffer{}
			cmd.Stdout, cmd.Stderr = out, said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out.mustReach(t, `"type":"serving"`)
			return func() {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // its status is the status of an interrupt
				if !strings.Contains(out.String(), `"type":"end"`) || said.String() != "" {
					t.Errorf("it ended with %q and %q", out.String(), said.String())
				}
			}
		}},
		{"in the background", func() func() {
			m.cupola("serve", "--background", "--address=127.0.0.1:0", "--allow=reads")
			return func() {
				if got := m.cupola("serve-stop"); got.status != 0 || !strings.Contains(got.stdout, `"state":"ended"`) {
					t.Errorf("stopped: %d %s", got.status, got.stdout)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			end := test.begin()
			server := m.found()
			if text := server.get(t, "/api/v1/status?fields=session"); !strings.Contains(text, `{"session":"api"}`) {
				t.Errorf("status: %s", text)
			}
			if text := server.get(t, "/"); !strings.Contains(text, "/app.js") {
				t.Errorf("the page: %s", text)
			}
			server.token = "x"
			if text := server.get(t, "/api/v1/status"); strings.Contains(text, "api") {
				t.Errorf("without the token: %s", text)
			}
			end()
			enginetest.Eventually(t, testTimeout, func() bool {
				return strings.Contains(m.cupola("serve-status").stdout, `"servers":[]`)
			}, func() string { return m.cupola("serve-status").stdout })
		})
	}
}

func TestAnAgentCallsToolsOnStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	cmd := m.command("cupola", "mcp", "--session=api")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	ask := func(request, part string) {
		t.Helper()
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || !strings.Contains(lines.Text(), part) {
			t.Errorf("%s: %.600s", request, lines.Text())
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}}`, `"serverInfo"`)
	ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cupola_status","arguments":{}}}`,
		`\"session\":\"api\"`)
	ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"cupola_tail","arguments":{"session":"web"}}}`,
		`"isError":true`)
	ask(`{"jsonrpc":"2.0","id":4,"method":"nosuch"}`, `-32601`)
	// What was asked before the end of the input is answered after it.
	last := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"cupola_status","arguments":{}}}` + "\n"
	if _, err := io.WriteString(in, last); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), `\"session\":\"api\"`) {
		t.Errorf("after the end of the input: %.600s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("at the end of its input: %v", err)
	}
}

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

// get asks a server with a token, and returns the answer.
func get(t *testing.T, url, token string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
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
				_ = cmd.Wait() // its status is that of an interrupt
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
			var status struct {
				Token   string
				Servers []struct{ URL string }
			}
			got := m.cupola("serve-status")
			if err := json.Unmarshal([]byte(got.stdout), &status); err != nil || len(status.Servers) != 1 {
				t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
			}
			url := status.Servers[0].URL
			text := get(t, url+"/api/v1/status?fields=session", status.Token)
			if !strings.Contains(text, `{"session":"api"}`) {
				t.Errorf("status: %s", text)
			}
			if text := get(t, url+"/", status.Token); !strings.Contains(text, "/app.js") {
				t.Errorf("the page: %s", text)
			}
			if text := get(t, url+"/api/v1/status", "x"); strings.Contains(text, "api") {
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

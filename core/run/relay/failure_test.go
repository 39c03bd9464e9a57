package relay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/run/relay/stream"
)

// TestRecordedFailuresHaveTheirCodes gives what real programs printed when they failed to a run.
func TestRecordedFailuresHaveTheirCodes(t *testing.T) {
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		t.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, want := range map[string]core.Code{
		"err401": core.AuthFailed, "no-key": core.AuthFailed, "err429": core.RateLimited,
		"connection-refused": core.NetworkError, "session-missing": core.NotFound, "resume-missing": core.NotFound,
	} {
		paths, err := filepath.Glob(filepath.Join(data, "headless", "*", "*"+name))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range paths {
			read := func(file string) []byte {
				text, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			var meta struct {
				Agent string
				Exit  int `json:"exit_code"`
			}
			stdout, stderr := read("stdout"), string(read("stderr"))
			if err := json.Unmarshal(read("meta.json"), &meta); err != nil {
				t.Fatal(err)
			}
			if len(stdout) == 0 && strings.TrimSpace(stderr) == "" || strings.HasPrefix(filepath.Base(dir), "text-") {
				continue // it was killed before it said why, or it was not asked for events
			}
			kind, _ := kinds.Find(meta.Agent)
			backend, _ := FromKind(kind, "/bin/cupola")
			reader, err := stream.New(backend.Format())
			if err != nil {
				t.Fatal(err)
			}
			one := &execution{
				cancel: func(error) {},
				plan:   &Plan{Backend: meta.Agent, Program: "/bin/" + meta.Agent, backend: backend}, reader: reader,
				now: (&Relay{}).now, result: &Result{},
			}
			one.feed(stdout)
			e := one.settle(t.Context(), stream.End{Exit: max(1, meta.Exit), Stderr: stderr}, nil)
			seen++
			if !e.HasCode(want) {
				t.Errorf("%s/%s: %s %q, not %s", meta.Agent, filepath.Base(dir), e.Code, e, want)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d recordings", seen)
	}
}

package effect

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine/enginetest"
	"cupola/core/run/relay"
	"cupola/core/system/shell/shelltest"
	"cupola/tui/intent"
	shown "cupola/tui/screen/relays"
)

// slow prints a line, and another one once the file go is in its directory.
const slow = "#!/bin/sh\ncat >/dev/null\necho one line\nuntil [ -e go ]; do sleep 0.05; done\necho the other\n"

// relayHarness is relays over a backend that runs a script.
type relayHarness struct {
	*Effects
	t   *testing.T
	dir string
	// ask asks the backend and returns the id of the relay.
	ask func() string
}

func openRelays(t *testing.T) *relayHarness {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "echoer")
	if err := shelltest.WriteProgram(script, []byte(slow)); err != nil {
		t.Fatal(err)
	}
	kinds, err := agent.Load(fstest.MapFS{"echoer.toml": {Data: []byte("id = \"echoer\"\n[launch]\n" +
		"command = [\"" + script + "\"]\n[headless]\nformat = \"text\"\n[headless.sandbox.read-only]\n" +
		"guarantee = \"It only prints.\"\n")}})
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find("echoer")
	backend, _ := relay.FromKind(kind, script)
	directory := relay.Directory{Dir: filepath.Join(dir, "relays")}
	runner := &relay.Runner{
		Relay:     &relay.Relay{Backends: relay.Backends{backend}, Environ: []string{"PATH=" + os.Getenv("PATH")}},
		Directory: directory, Defaults: relay.Defaults{Backend: "echoer", Sandbox: relay.ReadOnly, Dir: dir},
	}
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	ctx := t.Context()
	ask := func() string {
		request := relay.Request{Prompt: "why?", Timeout: time.Minute}
		plan, err := runner.Plan(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{}, 1)
		running.Go(func() {
			_, _ = runner.Ask(ctx, plan, request.Prompt, func(relay.Event) {
				select {
				case started <- struct{}{}:
				default:
				}
			})
		})
		<-started
		all, err := directory.All()
		if err != nil {
			t.Fatal(err)
		}
		return all[0].ID
	}
	r := newRelays(Relays{
		Directory: directory, Hint: func(code core.Code) string { return "about " + string(code) },
		Askable: func() ([]string, string, error) { return []string{"echoer"}, "codex", nil },
	})
	return &relayHarness{&Effects{ctx: ctx, relays: r, readers: r.readers()}, t, dir, ask}
}

// read reads a relay until it says a text, and returns it.
func (h *relayHarness) read(id, want string) (read shown.Answer) {
	h.t.Helper()
	known := false
	enginetest.Eventually(h.t, testTimeout, func() bool {
		read, _ = answerTo[shown.Answer](h.Effects, shown.Question{ID: id}, known)
		known = true
		return strings.Contains(read.Text, want)
	}, func() string { return read.Text })
	return read
}

func TestARelayIsReadWhileItRuns(t *testing.T) {
	h := openRelays(t)
	id := h.ask()
	if read := h.read(id, "one line"); read.Record.State != relay.Running || strings.Contains(read.Text, "other") {
		t.Errorf("got %+v", read)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.read(id, "the other")
	var read shown.Answer
	enginetest.Eventually(t, testTimeout, func() bool {
		read, _ = answerTo[shown.Answer](h.Effects, shown.Question{ID: id}, true)
		return read.Record.State == relay.Done
	}, func() string { return string(read.Record.State) })
	if read.Text != read.Record.Text {
		t.Errorf("got %+v", read)
	}
}

func TestARelayThatCannotBeReadIsAnError(t *testing.T) {
	h := openRelays(t)
	if read, err := answerTo[shown.Answer](h.Effects, shown.Question{ID: "none"}, false); err == nil {
		t.Errorf("got %+v", read)
	}
	found, _ := h.Do(intent.Backends{})().(BackendsFound)
	if len(found.Names) != 1 || found.Usual != "codex" {
		t.Errorf("got %+v", found)
	}
	failed := filepath.Join(h.relays.Directory.Dir, "failed1")
	if err := os.MkdirAll(failed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(failed, "relay.json"), []byte(`{"record_version":1,"id":"failed1",`+
		`"state":"failed","error":"no key","error_code":"AUTH_FAILED"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	read, _ := answerTo[shown.Answer](h.Effects, shown.Question{ID: "failed1"}, false)
	if read.Record.Hint != "about AUTH_FAILED" {
		t.Errorf("got %+v", read)
	}
}

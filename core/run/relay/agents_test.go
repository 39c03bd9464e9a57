//go:build agents

package relay_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
)

// answer is the fake model's answer to a prompt that scripts nothing.
const answer = "Hello! This is a short answer from the mock model."

// within is how long a real program may take on a busy machine.
const within = 3 * time.Minute

var realKinds = []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}

// world is a place where real agents answer relays.
type world struct {
	harness *fleettest.Harness
	runner  *relay.Runner
	// dir is the directory that relays are about; homes is above the homes of the agents.
	dir, homes string
}

func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	harness := fleettest.Real(t)
	homes, dir := t.TempDir(), t.TempDir()
	environ := append(os.Environ(), harness.Environ(t, homes, names...)...)
	// The harness passes no other variables on.
	environ = append(environ, "REAL_AGENTS_PASS=OPENCODE_PERMISSION")
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	var all relay.Backends
	for _, name := range names {
		kind, _ := kinds.Find(name)
		backend, headless := relay.FromKind(kind, "")
		if !headless {
			t.Fatalf("%s is no backend", name)
		}
		all = append(all, backend)
	}
	path := harness.Path(t)
	records := t.TempDir()
	w := &world{harness: harness, dir: dir, homes: homes, runner: &relay.Runner{
		Relay: &relay.Relay{Backends: all, Environ: environ, LookPath: func(name string) (string, error) {
			return filepath.Join(path, name), nil
		}},
		Directory: relay.Directory{Dir: records}, Labels: relay.Labels{Dir: records},
		Defaults: relay.Defaults{Sandbox: relay.ReadOnly, Dir: dir},
	}}
	t.Cleanup(func() { w.nothingLeft(t) })
	return w
}

// ask asks a real program.
func (w *world) ask(t *testing.T, request relay.Request, emit func(relay.Event)) (*relay.Record, error) {
	t.Helper()
	if request.Timeout == 0 {
		request.Timeout = within
	}
	plan, err := w.runner.Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return w.runner.Ask(t.Context(), plan, request.Prompt, emit)
}

// nothingLeft sees that no process is left that has a home of this world.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		left = nil
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			if environ, err := os.ReadFile(path); err == nil && bytes.Contains(environ, []byte("HOME="+w.homes)) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("left are %q", left)
}

// each runs a test for each kind.
func each(t *testing.T, test func(t *testing.T, w *world, name string)) {
	for _, name := range realKinds {
		t.Run(name, func(t *testing.T) { test(t, newWorld(t, name), name) })
	}
}

func TestRealAgentsGetThePromptAndAnswerOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world, name string) {
		large := 25_000
		if name == "copilot" {
			large = 10_000 // its model takes 128,000 tokens
		}
		for what, filler := range map[string]string{
			"one line": "please", "unicode": "Grüße 日本語 👩‍👩‍👧 e\u0301",
			"sixty lines": strings.Repeat("a line\n", 60), "large": strings.Repeat("0123456789abcde\n", large),
		} {
			token := fleettest.Token()
			prompt := token + " " + filler + " end"
			record, err := w.ask(t, relay.Request{Prompt: prompt, Backend: name}, nil)
			if err != nil || record.Text != answer || record.Session == "" {
				t.Errorf("%s: %q in conversation %q, %v", what, record.Text, record.Session, err)
			}
			if got := w.harness.Received(t, token); len(got) == 0 || !strings.Contains(got[0], prompt) {
				t.Errorf("%s: the model got %d prompts, and not the whole one", what, len(got))
			}
		}
	})
}

func TestRealAgentsStream(t *testing.T) {
	for _, name := range []string{"claude", "gemini", "copilot", "qwen"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, name)
			pieces := 0
			record, err := w.ask(t, relay.Request{Prompt: "slow 3", Backend: name}, func(event relay.Event) {
				if event.Type == stream.Text {
					pieces++
				}
			})
			if err != nil || pieces < 3 || record.ElapsedMS-record.FirstTextMS < 1500 {
				t.Errorf("%d pieces, the first after %d of %d ms, %v", pieces, record.FirstTextMS, record.ElapsedMS,
					err)
			}
		})
	}
}

func TestRealAgentsContinueAConversation(t *testing.T) {
	each(t, func(t *testing.T, w *world, name string) {
		first, err := w.ask(t, relay.Request{Prompt: "one", Backend: name, Label: "talk"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := w.ask(t, relay.Request{Prompt: "two", Label: "talk"}, nil)
		if err != nil || second.Text != answer || second.Session != first.Session {
			t.Errorf("%q in %q, which was %q, %v", second.Text, second.Session, first.Session, err)
		}
	})
}

func TestRealAgentsFailWithTheirCodes(t *testing.T) {
	each(t, func(t *testing.T, w *world, name string) {
		record, err := w.ask(t, relay.Request{Prompt: "err401", Backend: name}, nil)
		if !core.AsError(err).HasCode(core.AuthFailed) || record.State != relay.Failed {
			t.Errorf("without a valid key: %s %v", core.AsError(err).Code, err)
		}
		began := time.Now()
		record, err = w.ask(t, relay.Request{Prompt: "slow 100", Backend: name, Timeout: 12 * time.Second}, nil)
		if !core.AsError(err).HasCode(core.Timeout) || record.State != relay.Failed ||
			time.Since(began) > 20*time.Second {
			t.Errorf("over its time: %v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		plan, err := w.runner.Plan(ctx, relay.Request{Prompt: "slow 100", Backend: name, Timeout: within})
		if err != nil {
			t.Fatal(err)
		}
		if record, err = w.runner.Ask(ctx, plan, "slow", nil); !core.AsError(err).HasCode(core.Cancelled) ||
			record.State != relay.Cancelled {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestRealAgentsMeetAModelThatFails has the model refuse once, and for ever. The unique word makes
// the fake model count anew.
func TestRealAgentsMeetAModelThatFails(t *testing.T) {
	each(t, func(t *testing.T, w *world, name string) {
		for _, failure := range []string{"err429x1", "err500x1"} {
			prompt := fmt.Sprintf("%s %s%d", failure, name, time.Now().UnixNano())
			record, err := w.ask(t, relay.Request{Prompt: prompt, Backend: name}, nil)
			if err != nil || !strings.HasPrefix(record.Text, "Recovered after the ") {
				t.Errorf("%s: %q, %v", failure, record.Text, err)
			}
		}
		for failure, want := range map[string][]core.Code{
			"err429": {core.RateLimited, core.Timeout}, "err500": {core.BackendFailed, core.Timeout},
		} {
			request := relay.Request{Prompt: failure, Backend: name, Timeout: time.Minute}
			record, err := w.ask(t, request, nil)
			if !core.AsError(err).HasCode(want...) || record.Text != "" ||
				record.State != relay.Failed {
				t.Errorf("%s for ever: %s %v, %q", failure, core.AsError(err).Code, err, record.Text)
			}
		}
	})
}

// TestRealAgentsKeepTheirSandbox has the model write inside and outside of the directory, by its tool
// for files and by a command.
func TestRealAgentsKeepTheirSandbox(t *testing.T) {
	each(t, func(t *testing.T, w *world, name string) {
		backend := w.runner.Relay.Backends[0]
		for _, mode := range relay.Sandboxes() {
			if _, held := backend.Modes[mode]; !held {
				continue
			}
			// No directory for temporary files: sandboxes may leave those open.
			home := os.Getenv("HOME")
			outside, err := os.MkdirTemp(home, "cupola-outside-") //nolint:usetesting // see above
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(outside) })
			for _, act := range []struct {
				prompt, path string
				may          []relay.Sandbox
				// own is true for what a program's tool for files may refuse by itself.
				own bool
			}{
				{
					"tool-edit `%s`", filepath.Join(w.dir, "edit-"+string(mode)),
					[]relay.Sandbox{relay.WorkspaceWrite, relay.FullAccess},
					false,
				},
				{
					"tool-edit `%s`", filepath.Join(outside, "edit"),
					[]relay.Sandbox{relay.FullAccess},
					mode == relay.FullAccess,
				},
				{
					"tool-bash `touch %s` sandboxed", filepath.Join(outside, "bash"),
					[]relay.Sandbox{relay.FullAccess},
					false,
				},
			} {
				_, err := w.ask(t, relay.Request{
					Prompt: fmt.Sprintf(act.prompt, act.path), Backend: name, Sandbox: mode,
				}, nil)
				_, missing := os.Stat(act.path)
				if may := slices.Contains(act.may, mode); may != (missing == nil) && !act.own {
					t.Errorf("%s: %s wrote is %t (%v)", mode, act.path, missing == nil, err)
				}
			}
		}
	})
}

// TestTwoHundredRealRelaysLeaveNothing asks all kinds, twenty relays at once.
func TestTwoHundredRealRelaysLeaveNothing(t *testing.T) {
	w := newWorld(t, realKinds...)
	room := make(chan struct{}, 20)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			name := realKinds[i%len(realKinds)]
			record, err := w.ask(t, relay.Request{
				Prompt: fmt.Sprintf("number %d", i), Backend: name, Timeout: 2 * within,
			}, nil)
			if err != nil || record.Text != answer {
				t.Errorf("%s, number %d: %v", name, i, err)
			}
		})
	}
	all.Wait()
}

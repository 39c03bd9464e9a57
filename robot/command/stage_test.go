package command

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/bead"
	"cupola/core/bead/beadtest"
	"cupola/core/bridge"
	"cupola/core/budget"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/plugin"
	"cupola/core/relay/relaytest"
	"cupola/core/store"
	"cupola/core/usage"
	"cupola/core/worktree/worktreetest"
	"cupola/robot/registry"
)

// noon is the clock of these tests.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// server is an engine that holds two sessions: api, which Cupola made, with a
// shell and an agent, and web, which is foreign. What no test needs
// panics.
type server struct {
	engine.Engine
	down    bool
	silent  bool
	killed  []string
	pressed []string
	renamed string
	// dir is the folder that all panes are in; empty is the root.
	dir string
}

func (s *server) Info(context.Context) (engine.Info, error) {
	return engine.Info{Program: "tmux", Version: "3.4", Socket: "/s", Transport: "socket"}, nil
}

func (s *server) Close() error { return nil }

func (s *server) List(context.Context, engine.Detail) (engine.Listing, error) {
	switch {
	case s.down:
		return engine.Listing{}, engine.ErrNoServer
	case s.silent:
		return engine.Listing{}, engine.ErrSilent
	}
	pane := func(session core.SessionID, id core.PaneID, command string, tags map[string]string) engine.Pane {
		return engine.Pane{
			ID: id, Session: session, Window: core.Window{ID: "@" + core.WindowID(id[1:]), Name: "w"}, Title: "a title",
			View:    core.Viewport{Width: 80, Height: 24},
			Process: core.Process{Command: command, Dir: cmp.Or(s.dir, "/")}, Tags: tags,
		}
	}
	return engine.Listing{
		Taken: noon,
		Sessions: []engine.Session{
			{
				ID: "$1", Name: "api", Created: noon.Add(-time.Hour), Dir: cmp.Or(s.dir, "/"),
				Tags: map[string]string{engine.TagOrigin: "spawn", engine.TagNext: "2"},
			},
			{ID: "$2", Name: "web", Created: noon.Add(-2 * time.Hour), Attached: 1, Dir: "/"},
		},
		Panes: []engine.Pane{
			pane("$1", "%0", "bash", map[string]string{engine.TagRole: "user", engine.TagOrdinal: "0"}),
			pane("$1", "%1", "sh", map[string]string{
				engine.TagRole: "agent", engine.TagKind: "stub", engine.TagName: "st_1", engine.TagOrdinal: "1",
				engine.TagLaunch: "sh -i", engine.TagVariant: "big",
			}),
			pane("$2", "%2", "vim", nil),
		},
	}, nil
}

func (s *server) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screens := make([]core.Screen, 0, len(asks))
	for _, ask := range asks {
		screens = append(screens,
			core.Screen{
				Pane: ask.Pane, Lines: []string{"one", "```go", "two()", "```"}, Visible: 4,
				View: core.Viewport{Width: 80, Height: 4},
			})
	}
	return screens, nil
}

func (s *server) Press(_ context.Context, pane core.PaneID, keys ...string) error {
	s.pressed = append(append(s.pressed, string(pane)), keys...)
	return nil
}

func (s *server) KillPane(_ context.Context, pane core.PaneID) error {
	s.killed = append(s.killed, string(pane))
	return nil
}

func (s *server) KillSession(_ context.Context, session core.SessionID) error {
	s.killed = append(s.killed, string(session))
	return nil
}

func (s *server) Rename(_ context.Context, session core.SessionID, name string) error {
	s.renamed = string(session) + " " + name
	return nil
}

func (s *server) Attach(session core.SessionID, pane core.PaneID) []string {
	return []string{"tmux", "attach-session", "-t", string(session) + string(pane)}
}

func (s *server) Tag(context.Context, ...engine.Tag) error { return nil }

// staged is what verbs work with on a server.
func staged(t *testing.T, s *server) *Env {
	t.Helper()
	kinds, err := agent.Load(fstest.MapFS{"stub.toml": {Data: []byte("id = \"stub\"\nshort = \"st\"\nname = " +
		"\"Stub\"\n[launch]\ncommand = [\"sh\", \"-i\"]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	beadtest.Project(t, project)
	tool := &bead.Tool{Name: "bd", Path: beadtest.Install(t, t.TempDir()), Environ: os.Environ()}
	env := &Env{
		Caller: registry.Caller{
			Clock: func() time.Time { return noon }, Version: "1.2.3", Catalog: Catalog(),
			Stdin: func() (string, error) { return "from standard input", nil },
		},
		Bridges: bridge.Open(nil, func(string) (string, error) { return "", exec.ErrNotFound }),
		Place: config.Place{
			Paths: config.Paths{Config: t.TempDir(), Data: t.TempDir(), State: t.TempDir()},
			Dir:   project, Getenv: func(string) string { return "" },
		},
		BeadTool: func() (*bead.Tool, error) { return tool, nil },
		Plugins: func() ([]*plugin.Plugin, error) {
			home := t.TempDir()
			return plugin.All(kinds, "/opt/cupola", texts, func(string) string { return home }), nil
		},
		OpenFleet: func() (*fleet.Fleet, error) {
			return fleet.Open(fleet.Options{
				Engine: s, Kinds: kinds, Self: "/opt/cupola", Now: func() time.Time { return noon },
				Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
			}), nil
		},
		OpenStore: func(ctx context.Context) (*store.Store, error) {
			return store.OpenReadOnly(ctx, filepath.Join(t.TempDir(), "none.db"), store.Options{})
		},
	}
	env.OpenBudget = func() (*budget.Book, error) { return emptyBook(t.TempDir()), nil }
	t.Cleanup(func() { env.Close() })
	return env
}

// texts are skills and commands that do not change with the verbs.
var texts = &plugin.Texts{
	Name: "cupola", Description: "All of it", Version: "1.2.3",
	Skills:   []plugin.Text{{Name: "cupola-relay", Description: "How to ask", Body: "Ask.\n"}},
	Commands: []plugin.Text{{Name: "relay", Description: "Ask", Takes: "[WHAT]", Body: "Ask {arguments}\n"}},
}

// onFleetOf opens the fleet of an environment.
func onFleetOf(t *testing.T, env *Env) onFleet {
	t.Helper()
	deps, err := onFleet{}.Open(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	return deps
}

// emptyBook is that of a machine without transcripts.
func emptyBook(home string) *budget.Book {
	write := func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, filepath.Join(home, "cupola.db"), store.Options{})
	}
	read := func(ctx context.Context) (*store.Store, func(), error) {
		s, err := store.OpenReadOnly(ctx, filepath.Join(home, "cupola.db"), store.Options{})
		return s, func() { s.Close() }, err
	}
	return &budget.Book{
		Read: read, Write: write, Now: func() time.Time { return noon },
		Ledger: usage.New(usage.Options{
			Env: func(string) string { return home }, Read: read, Write: write,
			Prices: usage.DefaultPrices(nil),
		}),
	}
}

// stagedFor is staged where the examples of a verb run, too.
func stagedFor(t *testing.T, s *server, verb *registry.Verb) *Env {
	t.Helper()
	env := staged(t, s)
	if verb.Group == groupWork && verb.Field("since") != nil {
		beadtest.Repository(t, env.Dir)
	}
	if strings.HasPrefix(verb.Name, "worktree-") {
		worktreetest.Repository(t, env.Dir)
		giveWorktree(t, env.Dir, verb)
	}
	if verb.Group == groupPipes {
		writePipeline(t, env)
	}
	if verb.Group == groupRelay {
		env.Bridges = bridge.Open(nil, func(name string) (string, error) { return "/opt/bin/" + name, nil })
		worktreetest.Repository(t, env.Dir)
		relaytest.Put(t, env.Paths.Relays(), verb == relayCancel)
	}
	if verb.Group == groupTools {
		env.Bridges = bridge.Open(nil, fakeTool)
	}
	if slices.Contains([]*registry.Verb{tools, doctor, setup, backends}, verb) {
		equip(t, env)
	}
	return env
}

// giveWorktree gives an agent the worktree that the examples of a verb are about.
func giveWorktree(t *testing.T, dir string, verb *registry.Verb) {
	t.Helper()
	file := "main.go"
	if verb == worktreeRemove {
		file = ""
	}
	worktreetest.Give(t, dir, "api", "cc_1", file)
}

// fakeTools is the directory of the scripts that replace tools.
var fakeTools = filepath.Join("..", "..", "core", "bridge", "testdata", "fakes")

// fakeTool finds the script that replaces a tool.
func fakeTool(name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(fakeTools, name))
	if err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	return path, err
}

// equip makes the stage a machine of its own: with brew, with Claude Code, of which
// its package says the version, with a tool that does not start, and with room.
func equip(t *testing.T, env *Env) {
	t.Helper()
	home, packed := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(packed, "package.json"), []byte(`{"version":"2.1.4"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	claude := filepath.Join(packed, "cli.js")
	if err := os.WriteFile(claude, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env.Bridges = bridge.Open(nil, func(name string) (string, error) {
		path, ok := map[string]string{"brew": "/nowhere/brew", "claude": claude, "xf": "/opt/bin/xf"}[name]
		if !ok {
			return "", exec.ErrNotFound
		}
		return path, nil
	})
	env.Getenv = func(name string) string {
		return map[string]string{
			"HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color", "CUPOLA_ALERTS_DISK_PERCENT": "0",
			"CUPOLA_ALERTS_DISK_MB": "0",
		}[name]
	}
	env.Paths.Runtime = t.TempDir()
	// What the umask leaves of their modes is the machine's.
	for _, dir := range []string{env.Paths.Config, env.Paths.Data, env.Paths.State, env.Paths.Runtime} {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// call runs a verb and returns its answer as a value of its type.
func call[Out any](t *testing.T, s *server, in any) (Out, error) {
	t.Helper()
	var none Out
	for _, verb := range Catalog().Verbs {
		if verb.Input() != reflect.TypeOf(in) {
			continue
		}
		reply, err := verb.Call(t.Context(), staged(t, s), in, nil)
		if err != nil {
			return none, err
		}
		out, ok := reply.Value.(Out)
		if !ok {
			t.Fatalf("%s answers a %T", verb.Name, reply.Value)
		}
		return out, nil
	}
	t.Fatalf("no verb takes a %T", in)
	return none, nil
}

func TestEveryVerbFailsAsTheFleetDoes(t *testing.T) {
	cause := core.Errorf(core.EngineUnavailable, "no tmux here")
	for _, verb := range Catalog().Verbs {
		env := stagedFor(t, &server{}, verb)
		env.OpenFleet = func() (*fleet.Fleet, error) { return nil, cause }
		in := exampleOf(t, verb, verb.Examples()[0])
		_, err := verb.Call(t.Context(), env, in, nil)
		if err == nil {
			if slices.Contains(verb.Errors, core.EngineUnavailable) {
				t.Errorf("%s says that it needs the engine, and does not", verb.Name)
			}
			continue
		}
		if !errors.Is(err, cause) || !slices.Contains(verb.Errors, core.EngineUnavailable) {
			t.Errorf("%s: got %v, declares %v", verb.Name, err, verb.Errors)
		}
	}
}

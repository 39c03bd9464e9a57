package verbtest

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/plugin"
	"cupola/core/agent/usage"
	"cupola/core/bridge"
	"cupola/core/bridge/bead"
	"cupola/core/bridge/bead/beadtest"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	runkinds "cupola/core/run/kinds"
	"cupola/core/run/pipeline"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// Noon is the clock of these tests.
var Noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// Server is an engine that holds two sessions: api, which Cupola made, with a
// shell and an agent, and web, which is foreign. What no test needs
// panics.
type Server struct {
	engine.Engine
	Down    bool
	Silent  bool
	Killed  []string
	Pressed []string
	Renamed string
	// Twin adds a session on Cupola's own server that is called api too.
	Twin bool
	// dir is the folder that all panes are in; empty is the root.
	Dir string
	// Runtime is the runtime directory of the fleet on it; empty for none.
	Runtime string
}

// Processes returns those of this machine.
func (s *Server) Processes() process.Source { return process.Local{} }

// Info describes a tmux.
func (s *Server) Info(context.Context) (engine.Info, error) {
	return engine.Info{Program: "tmux", Version: "3.4", Socket: "/s", Transport: "socket"}, nil
}

// Upgrade is an upgrade of Cupola's own server.
func (s *Server) Upgrade(context.Context, string) (engine.Upgraded, error) {
	if s.Down {
		return engine.Upgraded{}, engine.ErrNoServer
	}
	info := engine.Info{Program: "cupola", Version: "1.2.3", Socket: "/s", Transport: "socket"}
	return engine.Upgraded{Before: info, After: info, PID: 7, Panes: 3}, nil
}

// Close does nothing.
func (s *Server) Close() error { return nil }

// List lists two sessions with three panes.
func (s *Server) List(context.Context, engine.Detail) (engine.Listing, error) {
	switch {
	case s.Down:
		return engine.Listing{}, engine.ErrNoServer
	case s.Silent:
		return engine.Listing{}, engine.ErrSilent
	}
	pane := func(session core.SessionID, id core.PaneID, command string, tags map[string]string) engine.Pane {
		return engine.Pane{
			ID: id, Session: session, Window: core.Window{ID: "@" + core.WindowID(id[1:]), Name: "w"}, Title: "a title",
			View:    core.Viewport{Width: 80, Height: 24},
			Process: core.Process{Command: command, Dir: cmp.Or(s.Dir, "/")}, Tags: tags,
		}
	}
	listing := engine.Listing{
		Taken: Noon,
		Sessions: []engine.Session{
			{
				ID: "$1", Name: "api", Engine: engine.Tmux, Created: Noon.Add(-time.Hour), Dir: cmp.Or(s.Dir, "/"),
				Tags: map[string]string{engine.TagOrigin: "spawn", engine.TagNext: "2"},
			},
			{ID: "$2", Name: "web", Engine: engine.Tmux, Created: Noon.Add(-2 * time.Hour), Attached: 1, Dir: "/"},
		},
		Panes: []engine.Pane{
			pane("$1", "%0", "bash", map[string]string{engine.TagRole: "user", engine.TagOrdinal: "0"}),
			pane("$1", "%1", "sh", map[string]string{
				engine.TagRole: "agent", engine.TagKind: "stub", engine.TagName: "st_1", engine.TagOrdinal: "1",
				engine.TagLaunch: "sh -i", engine.TagVariant: "big",
			}),
			pane("$2", "%2", "vim", nil),
		},
	}
	if s.Twin {
		listing.Sessions[0].Name = core.FullName(engine.Tmux, "api")
		own := engine.Session{
			ID: "$o1", Name: core.FullName(engine.Own, "api"), Engine: engine.Own,
			Created: Noon.Add(-time.Minute), Dir: "/",
			Tags: map[string]string{engine.TagOrigin: "spawn", engine.TagNext: "2"},
		}
		listing.Sessions = append([]engine.Session{own}, listing.Sessions...)
		listing.Panes = append([]engine.Pane{
			pane("$o1", "%o1", "sh", map[string]string{
				engine.TagRole: "agent", engine.TagKind: "stub", engine.TagName: "st_1", engine.TagOrdinal: "1",
				engine.TagLaunch: "sh -i",
			}),
		}, listing.Panes...)
	}
	return listing, nil
}

// Capture shows the same four lines in every pane.
func (s *Server) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	return core.Map(asks, func(ask engine.Ask) core.Screen {
		return core.Screen{
			Pane: ask.Pane, Lines: []string{"one", "```go", "two()", "```"}, Visible: 4,
			View: core.Viewport{Width: 80, Height: 4},
		}
	}), nil
}

// Press records the pane and the keys in Pressed.
func (s *Server) Press(_ context.Context, pane core.PaneID, keys ...string) error {
	s.Pressed = append(append(s.Pressed, string(pane)), keys...)
	return nil
}

// Respawn returns the pane, whose program stays what it was.
func (s *Server) Respawn(_ context.Context, pane core.PaneID, _ engine.Launch) (engine.Location, error) {
	return engine.Location{Pane: pane}, nil
}

// Paste takes a text that no screen shows.
func (s *Server) Paste(context.Context, core.PaneID, []byte) error { return nil }

// KillPane records the pane in Killed.
func (s *Server) KillPane(_ context.Context, pane core.PaneID) error {
	s.Killed = append(s.Killed, string(pane))
	return nil
}

// KillSession records the session in Killed.
func (s *Server) KillSession(_ context.Context, session core.SessionID) error {
	s.Killed = append(s.Killed, string(session))
	return nil
}

// Rename records the session and its new name in Renamed.
func (s *Server) Rename(_ context.Context, session core.SessionID, name string) error {
	s.Renamed = string(session) + " " + name
	return nil
}

// Attach returns a command that names what would be attached to.
func (s *Server) Attach(session core.SessionID, pane core.PaneID) []string {
	return []string{"tmux", "attach-session", "-t", string(session) + string(pane)}
}

// Watch returns a feed of the listing alone.
func (s *Server) Watch(ctx context.Context) engine.Feed {
	listing, err := s.List(ctx, engine.Detail(0))
	feed := quiet{make(chan engine.Change, 1)}
	feed.changes <- engine.Change{Listing: listing, Structural: true, Lost: err}
	context.AfterFunc(ctx, func() { close(feed.changes) })
	return feed
}

// quiet is a feed of one change.
type quiet struct{ changes chan engine.Change }

// Changes has the change, and is closed at the end.
func (q quiet) Changes() <-chan engine.Change { return q.changes }

// SetFocus does nothing.
func (q quiet) SetFocus(engine.Focus) {}

// Tag does nothing.
func (s *Server) Tag(context.Context, ...engine.Tag) error { return nil }

// Env returns the environment of a catalog's verbs on a server. It is closed when the test ends.
func Env(t *testing.T, s engine.Engine, catalog *registry.Catalog) *verb.Env {
	t.Helper()
	env := Open(t, s, catalog)
	t.Cleanup(func() { _ = env.Close() })
	return env
}

// Open is Env for those who close it themselves, since calls may still run when the test's function has returned.
func Open(t *testing.T, s engine.Engine, catalog *registry.Catalog) *verb.Env {
	t.Helper()
	runtime := ""
	if server, is := s.(*Server); is {
		runtime = server.Runtime
	}
	kinds, err := agent.Load(fstest.MapFS{"stub.toml": {Data: []byte("id = \"stub\"\nshort = \"st\"\nname = " +
		"\"Stub\"\n[launch]\ncommand = [\"sh\", \"-i\"]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	alone()
	project := t.TempDir()
	beadtest.Project(t, project)
	home := sync.OnceValue(t.TempDir)
	tool := sync.OnceValue(func() *bead.Tool {
		return &bead.Tool{Name: "bd", Path: beadtest.Install(t, t.TempDir()), Environ: os.Environ()}
	})
	own := t.TempDir()
	env := &verb.Env{
		Local: verb.Local{
			Caller: registry.Caller{
				Clock: func() time.Time { return Noon }, Version: "1.2.3", Catalog: catalog,
				Stdin: func() (string, error) { return "from standard input", nil },
			},
			Bridges: bridge.Open(nil, func(string) (string, error) { return "", exec.ErrNotFound }),
			Location: config.Location{
				Paths: config.Paths{ // none of them is there yet
					Config: filepath.Join(own, "config"), Data: filepath.Join(own, "data"),
					State: filepath.Join(own, "state"),
				},
				Dir: project, Getenv: bare,
			},
			BeadTool: func() (*bead.Tool, error) { return tool(), nil },
			Plugins: func() ([]*plugin.Plugin, error) {
				return plugin.All(kinds, "/opt/cupola", texts, func(string) string { return home() }), nil
			},
		},
		OpenFleet: func() (*fleet.Fleet, error) {
			return fleet.Open(fleet.Options{
				Engine: s, Kinds: kinds, Self: "/opt/cupola", Runtime: runtime, Now: func() time.Time { return Noon },
				Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
			}), nil
		},
		OpenStore: func(ctx context.Context) (*store.Store, error) {
			return store.OpenReadOnly(ctx, filepath.Join(t.TempDir(), "none.db"), store.Options{})
		},
	}
	env.OpenForWriting = func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, filepath.Join(t.TempDir(), "new.db"), store.Options{})
	}
	env.Runs = runkinds.Index(t.Context(), env.Paths, nil, nil, env.Store)
	env.OpenBudget = func() (*budget.Monitor, error) { return emptyDirectory(t.TempDir()), nil }
	env.Network = network{env}
	return env
}

// network has the hosts of the settings by ssh, and a silent bus.
type network struct{ env *verb.Env }

// Open connects by ssh.
func (n network) Open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error) {
	return n.env.Hosts.Open(ctx, h, access)
}

// Known are the hosts of the settings.
func (n network) Known(context.Context) (host.Hosts, error) {
	return host.Of(n.env.Settings().Hosts), nil
}

// Lost remembers no host.
func (network) Lost() *host.Lost { return &host.Lost{} }

// Bus fails.
func (network) Bus(context.Context) (*bus.Conn, error) {
	return nil, core.Errorf(core.NetworkError, "the bus does not answer")
}

// ServeBus fails as Bus does.
func (n network) ServeBus(ctx context.Context, _ registry.Border, _ func(string) error) error {
	_, err := n.Bus(ctx)
	return err
}

// ceiling names the folders above which git and Cupola look for no project.
const ceiling = "GIT_CEILING_DIRECTORIES"

// alone keeps what lies above the temporary folder out of the tests of a process.
var alone = sync.OnceFunc(func() {
	if dir, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		_ = os.Setenv(ceiling, dir)
	}
})

// bare is an environment with a ceiling alone.
func bare(name string) string {
	if name == ceiling {
		return os.Getenv(name)
	}
	return ""
}

// texts are skills and commands that do not change with the verbs.
var texts = &plugin.Texts{
	Name: "cupola", Description: "All of it", Version: "1.2.3",
	Skills:   []plugin.Text{{Name: "cupola-relay", Description: "How to ask", Body: "Ask.\n"}},
	Commands: []plugin.Text{{Name: "relay", Description: "Ask", Takes: "[WHAT]", Body: "Ask {arguments}\n"}},
}

// OnFleet opens the fleet of an environment.
func OnFleet(t *testing.T, env *verb.Env) verb.OnFleet {
	t.Helper()
	deps, err := verb.OnFleet{}.Open(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	return deps
}

// emptyDirectory is the monitor of a machine without transcripts.
func emptyDirectory(home string) *budget.Monitor {
	write := func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, filepath.Join(home, "cupola.db"), store.Options{})
	}
	read := func(ctx context.Context) (*store.Store, error) {
		return store.OpenReadOnly(ctx, filepath.Join(home, "cupola.db"), store.Options{})
	}
	ledger := usage.New(usage.Options{
		Env: func(string) string { return home }, Read: read, Write: write, Prices: usage.DefaultPrices(nil),
	})
	return &budget.Monitor{
		Read: read, Write: write, Now: func() time.Time { return Noon },
		Ledger: func() *usage.Ledger { return ledger },
	}
}

// Call runs the verb that takes an input, on a server, and returns its answer as a value of its
// type.
func Call[Out any](t *testing.T, verbs []*registry.Verb, s *Server, in any) (Out, error) {
	t.Helper()
	var none Out
	for _, verb := range verbs {
		if verb.Input() != reflect.TypeOf(in) {
			continue
		}
		reply, err := verb.Call(t.Context(), Env(t, s, &registry.Catalog{Verbs: verbs}), in, nil)
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

// WritePipeline writes a pipeline, and puts a run of it on record that was cut off.
func WritePipeline(t *testing.T, env *verb.Env) {
	t.Helper()
	file := filepath.Join(env.Dir, "review.toml")
	if err := os.WriteFile(file, []byte(review), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Parse(file, review)
	if err != nil {
		t.Fatal(err)
	}
	directory := pipeline.DirectoryIn(env.Paths.Pipelines(), env.Runs, 0)
	if err := pipeline.New(directory, p, &pipeline.Run{File: file, Text: review, Session: "api", Dir: env.Dir},
		time.Now()); err != nil {
		t.Fatal(err)
	}
}

const review = "[vars]\ngoal = \"x\"\n[[step]]\nname = \"look\"\nverb = \"status\"\n" +
	"[[step]]\nname = \"count\"\nverb = \"tail\"\nargs = {session = \"${session}\", lines = 3}\nneeds = [\"look\"]\n"

// Commands are the commands of some actions, without the program's name.
func Commands(actions []registry.Action) string {
	lines := core.Map(actions, func(action registry.Action) string {
		return strings.TrimPrefix(action.Command, "cupola ")
	})
	return strings.Join(lines, "; ")
}

package fleettest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
)

// Engine is a fake engine: it returns what its fields say and records its calls. Methods
// that it does not define panic.
type Engine struct {
	engine.Engine
	Listing engine.Listing
	Screens map[core.PaneID][]string
	// Taken is when screens are captured.
	Taken time.Time
	// ListErr is the error of List, CreateErr the error of the n-th Create, from 1.
	ListErr   error
	CreateErr map[int]error

	counting  sync.Mutex
	Questions int
	Asked     []core.PaneID
	Launches  []engine.Launch
	Tags      []engine.Tag
	Killed    []string
}

// List returns Listing, with the sessions that Launches made, and ListErr. A server that made one runs.
func (p *Engine) List(context.Context, engine.Detail) (engine.Listing, error) {
	p.counting.Lock()
	defer p.counting.Unlock()
	p.Questions++
	listing, err := p.Listing, p.ListErr
	for i := range p.Launches {
		if p.Launches[i].Into == "" {
			made := engine.Session{ID: launched, Name: p.Launches[i].Session}
			listing.Sessions = append(slices.Clip(listing.Sessions), made)
			if errors.Is(err, engine.ErrNoServer) {
				err = nil
			}
		}
	}
	return listing, err
}

// launched is the id of each session that Create makes.
const launched = core.SessionID("$7")

// Capture returns the screens of Screens.
func (p *Engine) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	p.counting.Lock()
	defer p.counting.Unlock()
	p.Questions++
	var screens []core.Screen
	for _, ask := range asks {
		p.Asked = append(p.Asked, ask.Pane)
		if lines, there := p.Screens[ask.Pane]; there {
			view := core.Viewport{
				Width: 80, Height: len(lines),
				Cursor: core.Cursor{X: 2, Y: len(lines) - 3, Visible: true},
			}
			screens = append(screens,
				core.Screen{Pane: ask.Pane, Lines: lines, Visible: len(lines), View: view, Taken: p.Taken})
		}
	}
	return screens, nil
}

// Create records the launch and fails as CreateErr says.
func (p *Engine) Create(_ context.Context, launch engine.Launch) (engine.Location, error) {
	p.Launches = append(p.Launches, launch)
	n := len(p.Launches)
	if err := p.CreateErr[n]; err != nil {
		return engine.Location{}, err
	}
	return engine.Location{
		Session: launched, Window: core.WindowID(fmt.Sprintf("@%d", n)),
		Pane: core.PaneID(fmt.Sprintf("%%%d", 90+n)),
	}, nil
}

// Tag records tags.
func (p *Engine) Tag(_ context.Context, tags ...engine.Tag) error {
	p.Tags = append(p.Tags, tags...)
	return nil
}

// KillPane records the pane.
func (p *Engine) KillPane(_ context.Context, pane core.PaneID) error {
	p.Killed = append(p.Killed, string(pane))
	return nil
}

// KillSession records the session.
func (p *Engine) KillSession(_ context.Context, session core.SessionID) error {
	p.Killed = append(p.Killed, string(session))
	return nil
}

// Overlaps returns false.
func (p *Engine) Overlaps() bool { return false }

// Processes returns those of this machine.
func (p *Engine) Processes() process.Source { return process.Local{} }

// Info names the socket /s.
func (p *Engine) Info(context.Context) (engine.Info, error) { return engine.Info{Socket: "/s"}, nil }

// Attach returns the command of tmux.
func (p *Engine) Attach(session core.SessionID, pane core.PaneID) []string {
	return []string{"tmux", "attach-session", "-t", string(session), string(pane)}
}

// Noon is the clock of tests without a real server.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Kinds loads the kinds with files of the test's own over them.
func Kinds(t testing.TB, files fstest.MapFS) *agent.Kinds {
	t.Helper()
	kinds, err := agent.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// StubKind is a kind without screen rules, whose program is a shell.
var StubKind = fstest.MapFS{"stub.toml": {Data: []byte(`
id = "stub"
short = "st"
name = "Stub"
[launch]
command = ["sh", "-i"]
model = ["-m", "{model}"]
worktree = ["--own-tree", "-w"]
`)}}

// Row is one pane of a listing; tags are name, value, name, value.
func Row(session, id, command string, tags ...string) engine.Pane {
	pane := engine.Pane{
		ID: core.PaneID(id), Session: core.SessionID(session),
		Process: core.Process{Command: command}, Tags: map[string]string{},
	}
	for i := 0; i < len(tags); i += 2 {
		pane.Tags[tags[i]] = tags[i+1]
	}
	return pane
}

// TwoSessions is a server with two sessions: api, made by Cupola, and web, which is
// foreign.
func TwoSessions() engine.Listing {
	api := engine.Session{
		ID: "$1", Name: "api", Engine: engine.Tmux,
		Tags: map[string]string{engine.TagOrigin: panetag.OriginSpawn, engine.TagNext: "4"},
	}
	panes := []engine.Pane{
		Row("$1", "%1", "bash", engine.TagRole, panetag.RoleUser, engine.TagOrdinal, "0"),
		Row("$1", "%2", "claude", engine.TagRole, panetag.RoleAgent, engine.TagKind, "claude", engine.TagName, "cc_1",
			engine.TagOrdinal, "1"),
		Row("$1", "%3", "node", engine.TagRole, panetag.RoleAgent, engine.TagKind, "codex", engine.TagName, "cod_1",
			engine.TagOrdinal, "3"),
		Row("$1", "%12", "vim"),
		Row("$2", "%5", "claude"),
		Row("$2", "%20", "claude"),
		Row("$2", "%6", "bash"),
	}
	for i := range panes {
		panes[i].Window = core.Window{
			ID: core.WindowID("@" + string(panes[i].ID[1:])), Index: i, Name: "w",
			PaneIndex: 0,
		}
	}
	return engine.Listing{
		Taken:    Noon,
		Sessions: []engine.Session{{ID: "$2", Name: "web", Engine: engine.Tmux}, api},
		Panes:    panes,
	}
}

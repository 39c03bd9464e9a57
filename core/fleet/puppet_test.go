package fleet

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
)

// puppet is an engine that says what a test wants and keeps what it was told.
// What a test does not expect to be asked panics.
type puppet struct {
	engine.Engine
	listing engine.Listing
	screens map[core.PaneID][]string
	// taken is when screens are captured.
	taken time.Time
	// listErr is what List returns; createErr what the n-th Create does, from 1.
	listErr   error
	createErr map[int]error

	counting  sync.Mutex
	questions int
	asked     []core.PaneID
	launches  []engine.Launch
	tags      []engine.Tag
	killed    []string
}

func (p *puppet) List(context.Context, engine.Detail) (engine.Listing, error) {
	p.counting.Lock()
	defer p.counting.Unlock()
	p.questions++
	return p.listing, p.listErr
}

func (p *puppet) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	p.counting.Lock()
	defer p.counting.Unlock()
	p.questions++
	var screens []core.Screen
	for _, ask := range asks {
		p.asked = append(p.asked, ask.Pane)
		if lines, there := p.screens[ask.Pane]; there {
			view := core.Viewport{Width: 80, Height: len(lines), Cursor: core.Cursor{X: 2, Y: len(lines) - 3, Visible: true}}
			screens = append(screens, core.Screen{Pane: ask.Pane, Lines: lines, Visible: len(lines), View: view, Taken: p.taken})
		}
	}
	return screens, nil
}

func (p *puppet) Create(_ context.Context, launch engine.Launch) (engine.Place, error) {
	p.launches = append(p.launches, launch)
	n := len(p.launches)
	if err := p.createErr[n]; err != nil {
		return engine.Place{}, err
	}
	return engine.Place{Session: "$7", Window: core.WindowID(fmt.Sprintf("@%d", n)), Pane: core.PaneID(fmt.Sprintf("%%%d", 90+n))}, nil
}

func (p *puppet) Tag(_ context.Context, tags ...engine.Tag) error {
	p.tags = append(p.tags, tags...)
	return nil
}

func (p *puppet) KillPane(_ context.Context, pane core.PaneID) error {
	p.killed = append(p.killed, string(pane))
	return nil
}

func (p *puppet) KillSession(_ context.Context, session core.SessionID) error {
	p.killed = append(p.killed, string(session))
	return nil
}

func (p *puppet) Overlaps() bool { return false }

func (p *puppet) Info(context.Context) (engine.Info, error) { return engine.Info{Socket: "/s"}, nil }

func (p *puppet) Attach(session core.SessionID, pane core.PaneID) []string {
	return []string{"tmux", "attach-session", "-t", string(session), string(pane)}
}

// noon is the clock of tests without a real server.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// kindsOf loads the kinds with files of the test's own over them.
func kindsOf(t testing.TB, files fstest.MapFS) *agent.Kinds {
	t.Helper()
	kinds, err := agent.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// stub is a kind without screen rules, whose program every machine has.
var stub = fstest.MapFS{"stub.toml": {Data: []byte(`
id = "stub"
short = "st"
name = "Stub"
[launch]
command = ["sh", "-i"]
model = ["-m", "{model}"]
`)}}

// staged is a fleet over a puppet.
func staged(t testing.TB, p *puppet) *Fleet {
	t.Helper()
	return Open(Options{
		Engine: p, Kinds: kindsOf(t, stub), Self: "/opt/cupola", Now: func() time.Time { return noon },
		Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
	})
}

// row is one pane of a listing; tags are name, value, name, value.
func row(session, id, command string, tags ...string) engine.Pane {
	pane := engine.Pane{
		ID: core.PaneID(id), Session: core.SessionID(session),
		Process: core.Process{Command: command}, Tags: map[string]string{},
	}
	for i := 0; i < len(tags); i += 2 {
		pane.Tags[tags[i]] = tags[i+1]
	}
	return pane
}

// cast is a server with two sessions: api, made by Cupola, and web, which is
// somebody's own.
func cast() engine.Listing {
	api := engine.Session{ID: "$1", Name: "api", Tags: map[string]string{engine.TagOrigin: originSpawn, engine.TagNext: "4"}}
	panes := []engine.Pane{
		row("$1", "%1", "bash", engine.TagRole, roleUser, engine.TagOrdinal, "0"),
		row("$1", "%2", "claude", engine.TagRole, roleAgent, engine.TagKind, "claude", engine.TagName, "cc_1", engine.TagOrdinal, "1"),
		row("$1", "%3", "node", engine.TagRole, roleAgent, engine.TagKind, "codex", engine.TagName, "cod_1", engine.TagOrdinal, "3"),
		row("$1", "%12", "vim"),
		row("$2", "%5", "claude"),
		row("$2", "%20", "claude"),
		row("$2", "%6", "bash"),
	}
	for i := range panes {
		panes[i].Window = core.Window{ID: core.WindowID("@" + string(panes[i].ID[1:])), Index: i, Name: "w", PaneIndex: 0}
	}
	return engine.Listing{Taken: noon, Sessions: []engine.Session{{ID: "$2", Name: "web"}, api}, Panes: panes}
}

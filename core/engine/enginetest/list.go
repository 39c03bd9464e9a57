package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

var listing = []promise{
	{"without a server everything says so", func(t *testing.T, e subject) {
		if _, err := e.List(t.Context(), 0); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("List: %v", err)
		}
		if _, err := e.Capture(t.Context(), engine.Ask{Pane: "%0"}); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("Capture: %v", err)
		}
		for name, err := range map[string]error{
			"Paste":       e.Paste(t.Context(), "%0", []byte("x")),
			"Press":       e.Press(t.Context(), "%0", "Enter"),
			"KillPane":    e.KillPane(t.Context(), "%0"),
			"KillSession": e.KillSession(t.Context(), "$0"),
			"Rename":      e.Rename(t.Context(), "$0", "x"),
			"Resize":      e.Resize(t.Context(), "%0", 80, 24),
			"Tag":         e.Tag(t.Context(), engine.Tag{Pane: "%0", Name: engine.TagKind, Value: "x"}),
		} {
			if !errors.Is(err, engine.ErrNoServer) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"info needs and starts no server", func(t *testing.T, e subject) {
		info, err := e.Info(t.Context())
		if err != nil || info.Program == "" || info.Version == "" || info.Socket == "" || info.Transport == "" {
			t.Errorf("Info: %+v, %v", info, err)
		}
		if _, err := e.List(t.Context(), 0); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("List after Info: %v", err)
		}
	}},
	{"a session is listed with what it was made with", func(t *testing.T, e subject) {
		dir := ShortDir(t)
		began := time.Now()
		loc := e.create(t, engine.Launch{Session: "api", Dir: dir, Window: "work", Argv: []string{"sleep", "100000"}})
		l := e.list(t)
		if len(l.Sessions) != 1 || len(l.Panes) != 1 || l.Taken.Before(began) {
			t.Fatalf("listing: %+v", l)
		}
		s, p := l.Sessions[0], l.Panes[0]
		if s.ID != loc.Session || s.Name != "api" || s.Attached != 0 || s.Dir != dir ||
			s.Created.Before(began.Add(-2*time.Second)) {
			t.Errorf("session: %+v", s)
		}
		if p.ID != loc.Pane || p.Session != loc.Session || p.Window.ID != loc.Window || p.Window.Name != "work" ||
			p.TTY == "" {
			t.Errorf("pane: %+v", p)
		}
		if p.Process.PID != loc.PID || p.Process.Dead || !p.View.Active {
			t.Errorf("pane: %+v", p)
		}
		if p.View.Width != 200 || p.View.Height != 50 {
			t.Errorf("size: %+v", p.View)
		}
		Eventually(t, Timeout, func() bool {
			p := e.pane(t, loc.Pane)
			return p.Process.Command == "sleep" && p.Process.Dir == dir
		}, func() string { return fmt.Sprintf("process: %+v", e.pane(t, loc.Pane).Process) })
		cheap, err := e.List(t.Context(), 0)
		if err != nil || cheap.Panes[0].Process.Command != "" || cheap.Panes[0].Process.Dir != "" {
			t.Errorf("without details: %+v, %v", cheap.Panes, err)
		}
	}},
	{"sessions and panes are in order", func(t *testing.T, e subject) {
		var want []core.PaneID
		b := e.session(t, "b", "")
		split := e.create(t, engine.Launch{Into: b.Session, Split: b.Window, Argv: shell("")})
		window := e.create(t, engine.Launch{Into: b.Session, Argv: shell("")})
		a := e.session(t, "a", "")
		want = append(want, a.Pane, b.Pane, split.Pane, window.Pane)
		l := e.list(t)
		got := core.Map(l.Panes, func(p engine.Pane) core.PaneID { return p.ID })
		if l.Sessions[0].Name != "a" || l.Sessions[1].Name != "b" || !slices.Equal(got, want) {
			t.Errorf("sessions %+v, panes %v, want %v", l.Sessions, got, want)
		}
	}},
	{"a dead pane keeps its exit status and its folder", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Dir: "/usr", Argv: []string{"/bin/sh", "-c", "exit 3"}})
		// tmux may not hear how a program ended until another one ends.
		Eventually(t, Timeout, func() bool {
			if e.pane(t, loc.Pane).Process.ExitStatus != 0 {
				return true
			}
			e.create(t, engine.Launch{Into: loc.Session, Argv: []string{"/bin/sh", "-c", "exit 0"}})
			return false
		}, nil)
		if p := e.pane(t, loc.Pane).Process; !p.Dead || p.ExitStatus != 3 || p.Signal != 0 || p.Dir != "/usr" {
			t.Errorf("process: %+v", p)
		}
	}},
	{"many callers at once get whole answers", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "echo ready")
		e.shows(t, loc.Pane, "ready")
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for range 25 {
					l, err := e.List(t.Context(), 0)
					screens, err2 := e.Capture(t.Context(), engine.Ask{Pane: loc.Pane})
					if err != nil || err2 != nil || len(l.Panes) != 1 || len(screens) != 1 ||
						screens[0].Lines[0] != "ready" {
						t.Errorf("%+v %+v %v %v", l, screens, err, err2)
						return
					}
				}
			})
		}
		callers.Wait()
	}},
	{"an ended context ends the call", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		if _, err := e.List(endedContext(t), 0); err == nil {
			t.Error("no error")
		}
	}},
}

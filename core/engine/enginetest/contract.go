package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

// Contract runs every promise of engine.Engine as a subtest. Each calls open for
// an engine whose server does not run yet and is the test's alone. They run in parallel.
func Contract(t *testing.T, open func(t *testing.T) engine.Engine) {
	for _, group := range []struct {
		name     string
		promises []promise
	}{
		{"list", listing},
		{"create", creating},
		{"respawn", respawning},
		{"capture", capturing},
		{"type", typing},
		{"ask", asking},
		{"change", changing},
		{"tag", tagging},
		{"feed", feeding},
		{"only", feedingOnly},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			for _, p := range group.promises {
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					p.keep(t, subject{open(t)})
				})
			}
		})
	}
}

// promise is one sentence of the contract.
type promise struct {
	name string
	keep func(t *testing.T, e subject)
}

// subject is the engine under test, with shorthands that end the test when they
// fail.
type subject struct{ engine.Engine }

// session creates a session that runs a shell script.
func (e subject) session(t *testing.T, name, script string) engine.Location {
	t.Helper()
	return e.create(t, engine.Launch{Session: name, Argv: shell(script)})
}

func (e subject) create(t *testing.T, launch engine.Launch) engine.Location {
	t.Helper()
	loc, err := e.Create(t.Context(), launch)
	if err != nil {
		t.Fatalf("create %+v: %v", launch, err)
	}
	return loc
}

func (e subject) list(t *testing.T) engine.Listing {
	t.Helper()
	l, err := e.List(t.Context(), engine.WithCommand|engine.WithDir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// pane returns a pane of a fresh listing.
func (e subject) pane(t *testing.T, id core.PaneID) engine.Pane {
	t.Helper()
	l := e.list(t)
	for _, p := range l.Panes {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("pane %s is not listed in %+v", id, l.Panes)
	return engine.Pane{}
}

func (e subject) capture(t *testing.T, ask engine.Ask) core.Screen {
	t.Helper()
	screens, err := e.Capture(t.Context(), ask)
	if err != nil || len(screens) != 1 {
		t.Fatalf("capture %+v: %d screens, %v", ask, len(screens), err)
	}
	return screens[0]
}

func (e subject) text(t *testing.T, id core.PaneID) string {
	t.Helper()
	screen := e.capture(t, engine.Ask{Pane: id})
	return screen.Text()
}

// shows waits until a pane's screen holds text.
func (e subject) shows(t *testing.T, id core.PaneID, text string) {
	t.Helper()
	Eventually(t, Timeout, func() bool { return strings.Contains(e.text(t, id), text) },
		func() string { return fmt.Sprintf("%q is not on the screen:\n%s", text, e.text(t, id)) })
}

// shell runs a script, and then nothing for longer than any test.
func shell(script string) []string {
	return []string{"/bin/sh", "-c", script + "\nexec sleep 100000"}
}

// endedContext is a context that has ended.
func endedContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

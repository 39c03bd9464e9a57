package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// next returns the next change that want accepts; others are passed over.
func next(t *testing.T, feed engine.Feed, want func(engine.Change) bool) engine.Change {
	t.Helper()
	timeout := time.NewTimer(Timeout)
	defer timeout.Stop()
	var last engine.Change
	for {
		select {
		case change, open := <-feed.Changes():
			if !open {
				t.Fatal("the feed ended")
			}
			if want(change) {
				return change
			}
			last = change
		case <-timeout.C:
			t.Fatalf("no such change; the last was %+v", last)
		}
	}
}

// isFirst accepts any change.
func isFirst(engine.Change) bool { return true }

func structural(c engine.Change) bool { return c.Structural && c.Lost == nil }

func dirty(id core.PaneID) func(engine.Change) bool {
	return func(c engine.Change) bool { return slices.Contains(c.Dirty, id) }
}

func (e subject) watch(t *testing.T, focus engine.Focus) engine.Feed {
	feed := e.Watch(t.Context())
	feed.SetFocus(focus)
	return feed
}

var feeding = []promise{
	{"the first look is reported whole", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		c := next(t, e.Watch(t.Context()), isFirst)
		if !c.Structural || !slices.Equal(c.Dirty, []core.PaneID{loc.Pane}) || len(c.Listing.Sessions) != 1 ||
			c.Listing.Panes[0].Process.Command == "" {
			t.Errorf("first: %+v", c)
		}
	}},
	{"a feed ends with its context", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		ctx, cancel := context.WithCancel(t.Context())
		feed := e.Watch(ctx)
		next(t, feed, isFirst)
		cancel()
		for c := range feed.Changes() {
			if c.Lost != nil {
				t.Errorf("lost: %v", c.Lost)
			}
		}
	}},
	{"whatever comes, goes or is changed is structural, but for titles", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		feed := e.watch(t, engine.Focus{Watched: true})
		next(t, feed, isFirst)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		split := e.create(t, engine.Launch{Into: loc.Session, Split: loc.Window, Argv: shell("")})
		c := next(t, feed, func(c engine.Change) bool { return structural(c) && len(c.Listing.Panes) == 2 })
		if !slices.Contains(c.Dirty, split.Pane) {
			t.Errorf("a new pane is not dirty: %+v", c.Dirty)
		}
		must(e.Tag(t.Context(), engine.Tag{Pane: loc.Pane, Name: engine.TagKind, Value: "x"}))
		next(t, feed, func(c engine.Change) bool {
			return structural(c) && c.Listing.Panes[0].Tags[engine.TagKind] == "x"
		})
		must(e.Rename(t.Context(), loc.Session, "renamed"))
		next(t, feed, func(c engine.Change) bool { return structural(c) && c.Listing.Sessions[0].Name == "renamed" })
		write(t, e.pane(t, loc.Pane), "\x1b]2;new title\x07")
		next(t, feed, func(c engine.Change) bool {
			return len(c.Listing.Panes) > 0 && c.Listing.Panes[0].Title == "new title"
		})
		must(e.KillPane(t.Context(), split.Pane))
		next(t, feed, func(c engine.Change) bool { return structural(c) && len(c.Listing.Panes) == 1 })
	}},
	{"a pane is dirty when a listing has it first", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		feed := e.watch(t, engine.Focus{Watched: true})
		known := map[core.PaneID]bool{loc.Pane: true}
		next(t, feed, isFirst)
		const more = 12
		made := make(chan struct{})
		go func() {
			defer close(made)
			for range more {
				if _, err := e.Create(t.Context(), engine.Launch{Into: loc.Session, Argv: shell("")}); err != nil {
					t.Error(err)
				}
			}
		}()
		for len(known) <= more {
			c := next(t, feed, structural)
			for i := range c.Listing.Panes {
				id := c.Listing.Panes[i].ID
				if !known[id] && !slices.Contains(c.Dirty, id) {
					t.Errorf("%s is new but not dirty: %v", id, c.Dirty)
				}
				known[id] = true
			}
		}
		<-made
	}},
	{"a program that ends or is another is structural", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{
			Session: "s",
			Argv:    []string{"/bin/sh", "-c", "read x; echo on; exec sleep 100000"},
		})
		feed := e.watch(t, engine.Focus{Watched: true})
		next(t, feed, isFirst)
		if err := e.Press(t.Context(), loc.Pane, "Enter"); err != nil {
			t.Fatal(err)
		}
		next(t, feed, func(c engine.Change) bool {
			return structural(c) && c.Listing.Panes[0].Process.Command == "sleep"
		})
		if err := e.Press(t.Context(), loc.Pane, "C-c"); err != nil {
			t.Fatal(err)
		}
		c := next(t, feed, func(c engine.Change) bool { return structural(c) && c.Listing.Panes[0].Process.Dead })
		if !slices.Contains(c.Dirty, loc.Pane) {
			t.Errorf("a dead pane is not dirty: %+v", c)
		}
	}},
	{"a slow reader misses nothing", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		feed := e.watch(t, engine.Focus{Watched: true})
		next(t, feed, isFirst)
		pane := e.pane(t, loc.Pane)
		other := e.create(t, engine.Launch{Into: loc.Session, Argv: shell("")})
		write(t, pane, "\x1b[5;5Hunread\x1b[H")
		<-time.After(1500 * time.Millisecond)
		missing := []core.PaneID{loc.Pane, other.Pane}
		for made := false; !made || len(missing) > 0; {
			c := next(t, feed, isFirst)
			made = made || c.Structural
			missing = slices.DeleteFunc(missing, func(id core.PaneID) bool { return slices.Contains(c.Dirty, id) })
		}
	}},
	{"a quiet server is not reported", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Window: "w", Argv: []string{"sleep", "100000"}})
		// A new program's folder is unknown for a moment.
		Eventually(t, Timeout, func() bool { return e.pane(t, loc.Pane).Process.Dir != "" }, nil)
		feed := e.watch(t, engine.Focus{Watched: true})
		next(t, feed, isFirst)
		const rest = 1500 * time.Millisecond
		quiet, late := time.NewTimer(rest), time.NewTimer(Timeout)
		defer quiet.Stop()
		defer late.Stop()
		var last engine.Change
		for {
			select {
			case last = <-feed.Changes():
				quiet.Reset(rest)
			case <-quiet.C:
				return
			case <-late.C:
				t.Fatalf("it is reported again and again: %+v", last)
			}
		}
	}},
	{"a server that goes is lost once, and then back", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		feed := e.watch(t, engine.Focus{Watched: true})
		next(t, feed, isFirst)
		if err := e.KillSession(t.Context(), loc.Session); err != nil {
			t.Fatal(err)
		}
		c := next(t, feed, func(c engine.Change) bool { return c.Lost != nil })
		if !errors.Is(c.Lost, engine.ErrNoServer) || len(c.Listing.Panes) != 0 {
			t.Errorf("lost: %+v", c)
		}
		if _, err := e.List(t.Context(), 0); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("List: %v", err)
		}
		Eventually(t, Timeout, func() bool {
			again, err := e.Create(t.Context(), engine.Launch{Session: "again", Argv: shell("")})
			loc = again
			return err == nil
		}, nil)
		// A server can be seen before its first session is.
		next(t, feed, func(c engine.Change) bool {
			if c.Lost != nil {
				t.Errorf("lost again: %+v", c)
			}
			return c.Structural && slices.Contains(c.Dirty, loc.Pane)
		})
	}},
	{"no repaint is missed", func(t *testing.T, e subject) {
		repaints(t, e, "", func(...core.PaneID) engine.Focus { return engine.Focus{Watched: true} })
	}},
	{"no repaint of a full screen is missed", func(t *testing.T, e subject) {
		repaints(t, e, "\x1b[?1049h",
			func(panes ...core.PaneID) engine.Focus { return engine.Focus{Watched: true, Visible: panes} })
	}},
}

// write puts text on a pane's screen as its program would.
func write(t *testing.T, p engine.Pane, text string) {
	t.Helper()
	tty, err := os.OpenFile(p.TTY, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if _, err := tty.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// repaints rewrites random cells in place, at random moments, so that nothing
// but the screen changes. A reader that captures the dirty panes only must
// come to hold each screen.
func repaints(t *testing.T, e subject, setup string, focus func(...core.PaneID) engine.Focus) {
	loc := e.create(t, engine.Launch{Session: "s", Width: 40, Height: 10, Argv: shell("echo ready")})
	e.shows(t, loc.Pane, "ready")
	pane := e.pane(t, loc.Pane)
	write(t, pane, setup+"\x1b[2J\x1b[H")
	feed := e.watch(t, focus(loc.Pane))
	held := make(chan string)
	go func() {
		defer close(held)
		for c := range feed.Changes() {
			if !slices.Contains(c.Dirty, loc.Pane) {
				continue
			}
			screens, err := e.Capture(t.Context(), engine.Ask{Pane: loc.Pane})
			if err != nil || len(screens) != 1 {
				return
			}
			select {
			case held <- screens[0].Text():
			case <-t.Context().Done():
				return
			}
		}
	}()
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		word := fmt.Sprintf("<%d>", i)
		write(t, pane, fmt.Sprintf("\x1b7\x1b[%d;%dH%s\x1b8", 1+dice.IntN(10), 1+dice.IntN(30), word))
		deadline := time.NewTimer(Timeout)
		for screen := ""; !strings.Contains(screen, word); {
			select {
			case screen = <-held:
			case <-deadline.C:
				t.Fatalf("%s was missed; the screen is\n%s", word, e.text(t, loc.Pane))
			}
		}
		deadline.Stop()
		pause := time.NewTimer(time.Duration(dice.IntN(300)) * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case <-held:
			case <-pause.C:
				waiting = false
			}
		}
	}
}

package engines_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/tmux"
)

// openBoth opens a private tmux with a private server of Cupola's own beside it.
func openBoth(t *testing.T) engines.Engine {
	t.Helper()
	both, _ := openBothOn(t)
	return both
}

// openBothOn is openBoth with the private tmux.
func openBothOn(t *testing.T) (engines.Engine, *enginetest.Tmux) {
	t.Helper()
	enginetest.NeedsTmux(t)
	machine := enginetest.Private(t)
	socket := filepath.Join(machine.Dir, "own")
	t.Cleanup(func() { enginetest.StopOwn(t, socket) })
	both, err := engines.Open(engines.Options{
		Tmux: tmux.Options{Binary: machine.Binary, Socket: machine.Socket, Environ: machine.Environ},
		Own:  own.Options{Socket: socket, Start: enginetest.StartsOwn(), Environ: machine.Environ},
	})
	if err != nil {
		t.Fatal(err)
	}
	return both, machine
}

// createOn makes a session on an engine.
func createOn(t *testing.T, e engine.Engine, on, name string) engine.Location {
	t.Helper()
	loc, err := e.Create(t.Context(), engine.Launch{
		Session: name, Engine: on,
		Argv: []string{"/bin/sh", "-c", "echo in " + name + "; while read x; do echo got $x; done"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// namesOf are the sessions of a listing, with their engines.
func namesOf(l engine.Listing) string {
	var names []string
	for _, s := range l.Sessions {
		names = append(names, s.Name+" "+s.Engine)
	}
	return strings.Join(names, ", ")
}

func TestSessionsOfBothAreOnePicture(t *testing.T) {
	t.Parallel()
	both := openBoth(t)
	if _, err := both.List(t.Context(), 0); !errors.Is(err, engine.ErrNoServer) {
		t.Errorf("without servers: %v", err)
	}
	locs := []engine.Location{
		createOn(t, both, engine.Own, "b"), createOn(t, both, "", "a"), createOn(t, both, engine.Own, "c"),
	}
	l, err := both.List(t.Context(), 0)
	if err != nil || namesOf(l) != "a tmux, b own, c own" || len(l.Panes) != 3 || l.Panes[1].ID != locs[0].Pane {
		t.Fatalf("%s, %+v, %v", namesOf(l), l.Panes, err)
	}
	for _, name := range []string{"a", "b"} {
		for _, on := range []string{engine.Tmux, engine.Own} {
			_, err := both.Create(t.Context(), engine.Launch{Session: name, Engine: on})
			if !errors.Is(err, engine.ErrDuplicate) {
				t.Errorf("%s on %s again: %v", name, on, err)
			}
		}
		if err := both.Rename(t.Context(), locs[2].Session, name); !errors.Is(err, engine.ErrDuplicate) {
			t.Errorf("c is called %s: %v", name, err)
		}
	}
	var tags []engine.Tag
	for _, loc := range locs {
		tags = append(tags, engine.Tag{Pane: loc.Pane, Name: engine.TagKind, Value: "x"})
		if err := both.Paste(t.Context(), loc.Pane, []byte("hello\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := both.Tag(t.Context(), tags...); err != nil {
		t.Fatal(err)
	}
	asks := []engine.Ask{{Pane: locs[0].Pane}, {Pane: locs[1].Pane}, {Pane: "%o99"}, {Pane: locs[2].Pane}}
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		screens, err := both.Capture(t.Context(), asks...)
		if err != nil || len(screens) != 3 {
			t.Fatalf("%d screens, %v", len(screens), err)
		}
		unanswered := func(s core.Screen) bool { return !strings.Contains(s.Text(), "got hello") }
		return !slices.ContainsFunc(screens, unanswered) &&
			screens[0].Pane == locs[0].Pane && screens[1].Pane == locs[1].Pane
	}, nil)
	if l, err = both.List(t.Context(), 0); err != nil || len(l.Tags()) != 3 || l.Panes[0].Tags[engine.TagKind] != "x" {
		t.Errorf("%+v, %v", l.Panes, err)
	}
	if info, err := both.Info(t.Context()); err != nil || info.Program != engine.Tmux || info.Beside == nil {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestAFeedOfBothIsLostWithBoth(t *testing.T) {
	t.Parallel()
	both := openBoth(t)
	one, other := createOn(t, both, engine.Tmux, "a"), createOn(t, both, engine.Own, "b")
	feed := both.Watch(t.Context())
	feed.SetFocus(engine.Focus{Watched: true})
	until := func(what string, holds func(engine.Change) bool) {
		t.Helper()
		limit, stop := context.WithTimeout(t.Context(), enginetest.Timeout)
		defer stop()
		for {
			select {
			case change := <-feed.Changes():
				if holds(change) {
					return
				}
			case <-limit.Done():
				t.Fatal(what)
			}
		}
	}
	until("the first has both", func(c engine.Change) bool {
		return c.Structural && namesOf(c.Listing) == "a tmux, b own" && len(c.Dirty) == 2
	})
	for _, loc := range []engine.Location{one, other} {
		if err := both.Paste(t.Context(), loc.Pane, []byte("x\n")); err != nil {
			t.Fatal(err)
		}
		until("a pane is dirty", func(c engine.Change) bool { return slices.Contains(c.Dirty, loc.Pane) })
	}
	if err := both.KillSession(t.Context(), other.Session); err != nil {
		t.Fatal(err)
	}
	until("the session is gone", func(c engine.Change) bool { return c.Lost == nil && namesOf(c.Listing) == "a tmux" })
	if err := both.KillSession(t.Context(), one.Session); err != nil {
		t.Fatal(err)
	}
	until("both are lost", func(c engine.Change) bool { return errors.Is(c.Lost, engine.ErrNoServer) })
}

func TestAKindThatThereIsNotIsRefused(t *testing.T) {
	if _, err := engines.Open(engines.Options{Kind: "screen"}); err == nil {
		t.Error("it is opened")
	}
}

// TestWithoutTmuxTheOwnServerIsUsed also where a tmux that is gone has left its socket.
func TestWithoutTmuxTheOwnServerIsUsed(t *testing.T) {
	dir := enginetest.ShortDir(t)
	socket := filepath.Join(dir, "tmux")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	missing := tmux.Options{Binary: filepath.Join(dir, "none"), Socket: socket}
	if used := engines.Usual(missing); used != engine.Tmux {
		t.Errorf("beside a server that runs %s is used", used)
	}
	listener.SetUnlinkOnClose(false)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if used := engines.Usual(missing); used != engine.Own {
		t.Errorf("beside what a server left %s is used", used)
	}
}

// If the folder of Cupola's own server is a link, the folder is not used, and tmux works as before.
func TestALinkInPlaceOfTheFolderLeavesTmux(t *testing.T) {
	enginetest.NeedsTmux(t)
	machine := enginetest.Private(t)
	folder := enginetest.ShortDir(t)
	client := enginetest.OwnClient(t, filepath.Join(folder, "own"), machine.Environ)
	t.Cleanup(func() { enginetest.StopOwn(t, client.SocketPath()) })
	createOn(t, client, engine.Own, "unseen")
	link := filepath.Join(enginetest.ShortDir(t), "l")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	both, err := engines.Open(engines.Options{
		Tmux: tmux.Options{Binary: machine.Binary, Socket: machine.Socket, Environ: machine.Environ},
		Own:  own.Options{Socket: filepath.Join(link, "own"), Start: enginetest.StartsOwn(), Environ: machine.Environ},
	})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := both.List(t.Context(), engine.Brief); !errors.Is(err, engine.ErrDenied) {
		t.Errorf("without tmux's server there is nothing: %+v, %v", l, err)
	}
	createOn(t, both, engine.Tmux, "seen")
	if l, err := both.List(t.Context(), engine.Brief); err != nil || namesOf(l) != "seen tmux" {
		t.Errorf("%s, %v", namesOf(l), err)
	}
}

// TestTwoSessionsOfOneNameBothHaveTheirFullAddresses: a program beside Cupola makes a session in tmux that has the name
// of one of the own server.
func TestTwoSessionsOfOneNameBothHaveTheirFullAddresses(t *testing.T) {
	t.Parallel()
	both, machine := openBothOn(t)
	own := createOn(t, both, engine.Own, "hj")
	machine.Run("new-session", "-d", "-s", "hj", "sleep 1000")
	l, err := both.List(t.Context(), 0)
	if err != nil || namesOf(l) != "own:hj own, tmux:hj tmux" || l.Panes[0].ID != own.Pane {
		t.Fatalf("%s, %+v, %v", namesOf(l), l.Panes, err)
	}
	if err := both.Rename(t.Context(), own.Session, "other"); err != nil {
		t.Fatal(err)
	}
	if l, err = both.List(t.Context(), 0); err != nil || namesOf(l) != "hj tmux, other own" {
		t.Errorf("%s, %v", namesOf(l), err)
	}
}

package tmux_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func list(t *testing.T, s *tmux.Server) engine.Listing {
	t.Helper()
	l, err := s.List(t.Context(), engine.WithCommand|engine.WithDir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Whatever tmux itself can be made to keep is read as it prints it.
func TestForeignNamesAreRead(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		names := []string{
			"-dash", "--", "a b", "it's", `"q"`, "é🎉", "a|b", "=x", "%1", "$0", "@3", "#[x]",
			`back\slash`, "*", "{}", "x y;z",
		}
		for i, name := range names {
			id := server.Run("new-session", "-d", "-P", "-F", "#{session_id} #{window_id} #{pane_id}", "-s",
				fmt.Sprint("n", i), "--", "sleep", "100000")
			ids := strings.Fields(id)
			server.Run("rename-session", "-t", ids[0], "--", name)
			server.Run("rename-window", "-t", ids[1], "--", name)
			server.Run("select-pane", "-t", ids[2], "-T", name)
			want := server.Run("display-message", "-p", "-t", ids[2], "#{session_name}")
			l := list(t, s)
			found := false
			for _, session := range l.Sessions {
				found = found || string(session.ID) == ids[0] && session.Name == want
			}
			if !found {
				t.Errorf("%q: no session %q in %+v", name, want, l.Sessions)
			}
			for _, p := range l.Panes {
				if string(p.ID) != ids[2] {
					continue
				}
				if title := server.Run("display-message", "-p", "-t", ids[2], "#{pane_title}"); p.Window.Name != want &&
					p.Window.Name != name || p.Title != title {
					t.Errorf("%q: window %q, title %q", name, p.Window.Name, p.Title)
				}
			}
		}
	})
}

func TestEachPaneIsListedOnceWithItsOldestSession(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		server.Run("new-session", "-d", "-s", "a-later", "--", "sleep", "100000")
		server.Run("new-session", "-d", "-s", "a-grouped", "-t", "first")
		server.Run("link-window", "-s", "first:0", "-t", "a-later:7")
		server.Run("set-option", "-p", "-t", "%0", "remain-on-exit", "on")
		server.Run("respawn-pane", "-k", "-t", "%0", "--", "sh", "-c", "exit 3")
		for _, pane := range []core.PaneID{"%0", "%1"} {
			if err := s.Tag(t.Context(),
				engine.Tag{Pane: pane, Name: engine.TagName, Value: "of " + string(pane)}); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			server.Reap()
			return list(t, s).Panes[1].Process.ExitStatus != 0
		}, nil)
		l := list(t, s)
		if len(l.Sessions) != 3 || len(l.Panes) != 2 {
			t.Fatalf("listing: %+v", l)
		}
		if p := l.Panes[1]; p.ID != "%0" || p.Session != "$0" || p.Window.Index != 0 {
			t.Errorf("linked pane: %+v", p)
		}
		for _, p := range l.Panes {
			if p.Tags[engine.TagName] != "of "+string(p.ID) || p.Process.Dead != (p.ID == "%0") ||
				p.Process.Dead && p.Process.ExitStatus != 3 {
				t.Errorf("what only it has: %+v", p)
			}
		}
	})
}

func TestASignalIsReportedWhereTmuxKnowsIt(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		began := time.Now().Add(-time.Second)
		loc, err := s.Create(t.Context(), engine.Launch{Session: "s", Argv: []string{"/bin/sh", "-c", "kill -9 $$"}})
		if err != nil {
			t.Fatal(err)
		}
		old := strings.HasPrefix(server.Run("display-message", "-p", "#{version}"), "3.2")
		var p core.Process
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			server.Reap()
			for _, pane := range list(t, s).Panes {
				if pane.ID == loc.Pane {
					p = pane.Process
				}
			}
			return p.Dead && (old || p.Signal != 0)
		}, nil)
		if old {
			t.Skip("tmux 3.2 tells neither signal nor time")
		}
		if p.Signal != 9 || p.ExitStatus != 0 || p.DiedAt.Before(began) {
			t.Errorf("process: %+v", p)
		}
	})
}

// Options that others set in wider scopes, which tmux lets panes inherit, are
// no pane's tags.
func TestInheritedOptionsAreNotTags(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		for _, scope := range [][]string{{"-g"}, {"-gw"}, {"-t", "first"}, {"-w", "-t", "first:"}} {
			server.Run(append(append([]string{"set-option"}, scope...), "@cupola_kind", "claude")...)
			server.Run(append(append([]string{"set-option"}, scope...), "@cupola_role", "%1:agent")...)
			server.Run(append(append([]string{"set-option"}, scope...), "@cupola_origin", "spawn")...)
		}
		server.Run("split-window", "-d", "-t", "first:", "--", "sleep", "100000")
		l := list(t, s)
		if len(l.Sessions[0].Tags) != 0 || len(l.Panes[0].Tags) != 0 || l.Panes[1].Tags[engine.TagKind] != "" {
			t.Errorf("tags: %q, %q, %q", l.Sessions[0].Tags, l.Panes[0].Tags, l.Panes[1].Tags)
		}
		if err := s.Tag(t.Context(), engine.Tag{Pane: "%0", Name: engine.TagKind, Value: "codex"}); err != nil {
			t.Fatal(err)
		}
		if got := list(t, s).Panes[0].Tags[engine.TagKind]; got != "codex" {
			t.Errorf("own tag: %q", got)
		}
	})
}

// Listing and capturing 60 panes takes two processes, also where the question
// is longer than a message to tmux may be.
func TestOneShotReadsTakeTwoProcesses(t *testing.T) {
	t.Parallel()
	server := enginetest.Private(t).Start()
	var windows []string
	for range 60 {
		windows = append(windows, "new-window", "-d", "-t", "first:", "sleep 100000", ";")
	}
	server.Run(windows...)
	calls := server.Dir + "/calls"
	counting := script(t, "echo x >>'"+calls+"'\nexec "+server.Binary+` "$@"`)
	s, err := tmux.Open(tmux.Options{
		Binary: counting, Socket: server.Socket, Transport: tmux.Exec,
		Environ: server.Environ,
	})
	if err != nil {
		t.Fatal(err)
	}
	var asks []engine.Ask
	for _, p := range list(t, s).Panes {
		asks = append(asks, engine.Ask{Pane: p.ID, Escapes: true, History: 10})
	}
	screens, err := s.Capture(t.Context(), asks...)
	if err != nil || len(screens) != 61 {
		t.Fatalf("%d screens, %v", len(screens), err)
	}
	if n := strings.Count(read(t, calls), "x"); n != 2 {
		t.Errorf("%d processes", n)
	}
}

func TestALongHistoryIsReadWhole(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		server.Run("set-option", "-g", "history-limit", "50000")
		loc, err := s.Create(t.Context(), engine.Launch{Session: "s", Argv: []string{
			"/bin/sh", "-c",
			"seq -f 'line %.0f of a long history with enough text in it to be several megabytes in the end " +
				"...........' 60000; exec sleep 100000",
		}})
		if err != nil {
			t.Fatal(err)
		}
		// While tmux takes so much in, it may answer late.
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			screens, err := s.Capture(t.Context(), engine.Ask{Pane: loc.Pane})
			if err != nil {
				return false
			}
			shown := screens[0].Lines
			return strings.HasPrefix(shown[len(shown)-2], "line 60000 ")
		}, nil)
		var screens []core.Screen
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			screens, err = s.Capture(t.Context(), engine.Ask{Pane: loc.Pane, History: 50000})
			return err == nil && len(screens) == 1
		}, nil)
		whole := screens[0].Lines
		last := number(t, strings.Fields(whole[0])[1])
		for _, line := range whole[1 : len(whole)-1] {
			n := number(t, strings.Fields(line)[1])
			if n != last+1 {
				t.Fatalf("line %d behind line %d", n, last)
			}
			last = n
		}
		if len(whole) < 45000 {
			t.Errorf("%d lines", len(whole))
		}
	})
}

func TestABriefListingTellsOfTaggedPanesWhatWasPrintedWhen(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		began := time.Now().Add(-time.Second)
		tagged := core.PaneID(strings.TrimSpace(server.Run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "a",
			"-x", "70", "-y", "7", "--", "sleep", "100000")))
		server.Run("new-session", "-d", "-s", "b", "--", "sleep", "100000")
		if err := s.Tag(t.Context(), engine.Tag{Pane: tagged, Name: engine.TagName, Value: "x|y"}); err != nil {
			t.Fatal(err)
		}
		l, err := s.List(t.Context(), engine.Brief|engine.WithActivity)
		if err != nil || len(l.Panes) != 2 {
			t.Fatalf("%+v, %v", l, err)
		}
		if p := l.Panes[0]; p.ID != tagged || p.Tags[engine.TagName] != "x|y" || p.Activity.Before(began) ||
			p.Activity.After(time.Now()) {
			t.Errorf("tagged: %+v", p)
		}
		if p := l.Panes[1]; !p.Activity.IsZero() || p.Alone {
			t.Errorf("not tagged: %+v", p)
		}
		alone := func(detail engine.Detail) bool {
			l, err := s.List(t.Context(), detail)
			if err != nil {
				t.Fatal(err)
			}
			return l.Panes[0].Alone
		}
		for _, detail := range []engine.Detail{0, engine.Brief | engine.WithActivity} {
			if !alone(detail) {
				t.Errorf("detail %d: a pane has its window for itself", detail)
			}
		}
		server.Run("split-window", "-d", "-t", string(tagged), "--", "sleep", "100000")
		for _, detail := range []engine.Detail{0, engine.Brief | engine.WithActivity} {
			if alone(detail) {
				t.Errorf("detail %d: a pane shares its window", detail)
			}
		}
	})
}

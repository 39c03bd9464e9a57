package tmux_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A second server plays the human's terminal.
func TestAttachingShowsThePane(t *testing.T) {
	t.Parallel()
	server, terminal := enginetest.Private(t).Start(), enginetest.Private(t).Start()
	s := open(t, server, tmux.Auto)
	loc, err := s.Create(t.Context(), engine.Launch{Session: "wanted", Argv: []string{"sleep", "100000"}})
	if err != nil {
		t.Fatal(err)
	}
	pane, err := s.Create(t.Context(), engine.Launch{Into: loc.Session, Argv: []string{"sleep", "100000"}})
	if err != nil {
		t.Fatal(err)
	}
	split, err := s.Create(t.Context(),
		engine.Launch{Into: loc.Session, Split: pane.Window, Argv: []string{"sleep", "100000"}})
	if err != nil {
		t.Fatal(err)
	}
	terminal.Run(append([]string{"new-window", "-t", "first:", "--", "env", "-u", "TMUX"},
		s.Attach(loc.Session, split.Pane)...)...)
	shown := func() string {
		out, _ := server.Try("list-clients", "-F", "#{client_session} #{window_id} #{pane_id}")
		return out
	}
	want := "wanted " + string(split.Window) + " " + string(split.Pane)
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return shown() == want },
		func() string { return "clients: " + shown() })
}

func TestInsideTheSameServerTheClientIsSwitched(t *testing.T) {
	server := enginetest.Private(t)
	for inside, verb := range map[string]string{
		"":                                 "attach-session",
		"TMUX=" + server.Socket + ",1":     "attach-session",
		"TMUX=" + server.Socket + ",1,0":   "switch-client",
		"TMUX=" + server.Socket + ",x,1,0": "attach-session",
	} {
		s, err := tmux.Open(tmux.Options{Socket: server.Socket, Environ: append([]string{}, inside)})
		if err != nil {
			t.Fatal(err)
		}
		want := "tmux -S " + server.Socket + " " + verb + " -t $3:.%7"
		if got := strings.Join(s.Attach("$3", "%7"), " "); got != want {
			t.Errorf("%q: %s, want %s", inside, got, want)
		}
	}
}

func TestTwoEnginesDoNotMixTheirTexts(t *testing.T) {
	t.Parallel()
	server := enginetest.Private(t).Start()
	heard := server.Dir + "/heard"
	id := server.Run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "listener", "--", "sh", "-c",
		"stty raw -echo; printf ready; exec cat >"+heard)
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		return strings.Contains(server.Run("capture-pane", "-p", "-t", id), "ready")
	}, nil)
	var typists sync.WaitGroup
	for i, transport := range transports {
		s := open(t, server, transport)
		panes := list(t, s).Panes
		typists.Go(func() {
			for range 20 {
				for _, n := range []int{10, 20000} {
					if err := s.Paste(t.Context(), panes[len(panes)-1].ID,
						[]byte(strings.Repeat(string(rune('a'+i)), n)+"\n")); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	typists.Wait()
	want := 2 * 20 * (20000 + 10 + 2)
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return len(read(t, heard)) == want }, nil)
	for text := range strings.SplitSeq(strings.TrimSuffix(read(t, heard), "\r"), "\r") {
		if strings.Trim(text, "a") != "" && strings.Trim(text, "b") != "" || len(text) != 10 && len(text) != 20000 {
			t.Fatalf("a mixed text of %d bytes", len(text))
		}
	}
}

func TestAResizedWindowIsTheOnlyOneThatStopsFollowing(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		server.Run("new-window", "-d", "-t", "first:", "--", "sleep", "100000")
		before := server.Run("display-message", "-p", "-t", "%0", "#{window_width}x#{window_height}")
		if err := s.Resize(t.Context(), "%1", 77, 33); err != nil {
			t.Fatal(err)
		}
		if got := server.Run("list-windows", "-t", "first", "-F", "#{window_width}x#{window_height}"); got != before+
			"\n77x33" {
			t.Errorf("windows: %s", got)
		}
		if got := server.Run("show-options", "-w", "-t", "first:0"); got != "" {
			t.Errorf("options of the other window: %s", got)
		}
	})
}

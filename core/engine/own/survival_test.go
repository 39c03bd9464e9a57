package own_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
)

// createIn makes a session that runs a script.
func createIn(t testing.TB, s *own.Server, name, script string) engine.Location {
	t.Helper()
	loc, err := s.Create(t.Context(), engine.Launch{Session: name, Argv: []string{"/bin/sh", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// shown returns the text of a pane, with its history.
func shown(t testing.TB, s *own.Server, pane core.PaneID) string {
	t.Helper()
	screens, err := s.Capture(t.Context(), engine.Ask{Pane: pane, History: 100_000})
	if err != nil || len(screens) != 1 {
		return fmt.Sprint(err)
	}
	return screens[0].Text()
}

func shows(t testing.TB, s *own.Server, pane core.PaneID, text string) {
	t.Helper()
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return strings.Contains(shown(t, s, pane), text) },
		func() string { return fmt.Sprintf("%q is not shown:\n%s", text, shown(t, s, pane)) })
}

// pidOf is the process of the server.
func pidOf(t testing.TB, s *own.Server) int {
	t.Helper()
	hello, err := s.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return hello.PID
}

// holderOf is the process of the server's holder; 0 for none.
func holderOf(s *own.Server) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		words, err := os.ReadFile(file)
		if err != nil || !strings.HasSuffix(string(words), "\x00"+server.HolderWord+"\x00"+s.SocketPath()+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && running(pid) {
			return pid
		}
	}
	return 0
}

func running(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func awaitHolder(t testing.TB, s *own.Server, not int) int {
	t.Helper()
	holder := 0
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		holder = holderOf(s)
		return holder != 0 && holder != not
	}, func() string { return "there is no holder" })
	return holder
}

func kill(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return !running(pid) }, nil)
}

// TestUpgradesLoseNothing replaces the program four times while panes print without a break.
func TestUpgradesLoseNothing(t *testing.T) {
	t.Parallel()
	s := private(t)
	script := `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf 'line %05d \033[31mred\033[0m\n' $i; [ $((i%20)) = 0 ] && sleep 0.01; done; echo END; read x; echo "got $x"; sleep 1000`
	var locs []engine.Location
	for i := range 4 {
		locs = append(locs, createIn(t, s, fmt.Sprintf("s%d", i), script))
	}
	feed := s.Watch(t.Context())
	feed.SetFocus(engine.Focus{Watched: true})
	before := pidOf(t, s)
	for i := range 4 {
		hello, err := s.Upgrade(t.Context(), os.Args[0])
		if err != nil {
			t.Fatalf("upgrade %d: %v", i, err)
		}
		if hello.PID != before || hello.Panes != len(locs) || hello.After.Note != "" {
			t.Fatalf("upgrade %d: %+v, was process %d", i, hello, before)
		}
	}
	lost := make(chan bool, 1)
	go func() {
		for change := range feed.Changes() {
			if change.Lost != nil && t.Context().Err() == nil {
				lost <- true
			}
		}
	}()
	for _, loc := range locs {
		shows(t, s, loc.Pane, "END")
		lines := strings.Split(shown(t, s, loc.Pane), "\n")
		number := 0
		for _, line := range lines {
			if !strings.HasPrefix(line, "line ") {
				continue
			}
			n, _ := strconv.Atoi(line[5:10])
			if number != 0 && n != number+1 {
				t.Fatalf("%s: line %d after %d", loc.Pane, n, number)
			}
			number = n
		}
		if number != 3000 {
			t.Errorf("%s: the last line is %d", loc.Pane, number)
		}
		if err := s.Paste(t.Context(), loc.Pane, []byte("words\n")); err != nil {
			t.Fatal(err)
		}
		shows(t, s, loc.Pane, "got words")
	}
	l, err := s.List(t.Context(), 0)
	if err != nil || len(l.Panes) != len(locs) || l.Panes[0].Process.PID != locs[0].PID {
		t.Errorf("%+v, %v", l.Panes, err)
	}
	select {
	case <-lost:
		t.Error("a feed lost the server")
	default:
	}
}

func TestAProgramThatIsNoServerIsRefused(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(t, s, "s", "read x; echo got $x; sleep 1000")
	for _, path := range []string{"", "relative", "/bin/false", "/bin/echo", "/nowhere"} {
		if _, err := s.Upgrade(t.Context(), path); err == nil {
			t.Errorf("%q is taken", path)
		}
	}
	if err := s.Paste(t.Context(), loc.Pane, []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, loc.Pane, "got x")
}

func TestKillsEndNoAgent(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(
		t,
		s,
		"s",
		`trap 'echo drawn anew' WINCH; echo ready; while true; do read x && echo "got $x"; done`,
	)
	shows(t, s, loc.Pane, "ready")
	if err := s.Tag(t.Context(), engine.Tag{Pane: loc.Pane, Name: engine.TagName, Value: "cc_1"}); err != nil {
		t.Fatal(err)
	}
	feed := s.Watch(t.Context())
	go func() {
		for range feed.Changes() {
		}
	}()
	first := awaitHolder(t, s, 0)
	for i := range 3 {
		if i == 1 { // the holder goes first, and another is started
			kill(t, first)
			awaitHolder(t, s, first)
		}
		<-time.After(2 * time.Second) // the holder receives tags a moment later
		was := pidOf(t, s)
		kill(t, was)
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			hello, err := s.Hello(t.Context())
			return err == nil && hello.PID != was
		}, func() string { return "no other server took the terminals" })
		l, err := s.List(t.Context(), engine.WithCommand)
		if err != nil || len(l.Panes) != 1 || l.Panes[0].Process.PID != loc.PID ||
			l.Panes[0].Tags[engine.TagName] != "cc_1" {
			t.Fatalf("%+v, %v", l, err)
		}
		word := fmt.Sprintf("word%d", i)
		if err := s.Paste(t.Context(), loc.Pane, []byte(word+"\n")); err != nil {
			t.Fatal(err)
		}
		shows(t, s, loc.Pane, "got "+word)
	}
	holder, serves := awaitHolder(t, s, 0), pidOf(t, s)
	kill(t, holder)
	kill(t, serves)
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return !running(loc.PID) },
		func() string { return "the program is left" })
	createIn(t, s, "again", "sleep 1000")
	if err := s.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return holderOf(s) == 0 },
		func() string { return "the holder is left" })
}

// TestProgramsThatAreKilledWithTheirServerAreLost kills programs and their server one after another, in both orders:
// the server that comes next knows that they did not end by themselves. A shell is kept, too.
func TestProgramsThatAreKilledWithTheirServerAreLost(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"server", "programs"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			s := private(t)
			agent := createIn(t, s, "a", "echo here; while :; do sleep 1; done")
			shell, err := s.Create(t.Context(), engine.Launch{Session: "b", Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			ended := createIn(t, s, "c", "echo over")
			createIn(t, s, "d", "exec cat") // without a program that lives, no server comes next
			shows(t, s, agent.Pane, "here")
			awaitKept(t, s)
			process := func(pane core.PaneID) core.Process {
				l, err := s.List(t.Context(), 0)
				at := slices.IndexFunc(l.Panes, func(p engine.Pane) bool { return p.ID == pane })
				if err != nil || at < 0 {
					t.Fatalf("%s is not listed: %v", pane, err)
				}
				return l.Panes[at].Process
			}
			die := func() {
				for _, loc := range []engine.Location{agent, shell} {
					kill(t, loc.PID)
				}
			}
			dead := func() bool { return process(agent.Pane).Dead && process(shell.Pane).Dead }
			enginetest.Eventually(t, enginetest.Timeout, func() bool { return process(ended.Pane).Dead }, nil)
			if first == "programs" {
				die()
				enginetest.Eventually(t, enginetest.Timeout, dead, nil)
				if process(agent.Pane).Lost || process(shell.Pane).Lost {
					t.Error("their server runs")
				}
			}
			replaced(t, s)
			if first == "server" {
				die()
			}
			enginetest.Eventually(t, enginetest.Timeout, dead, nil)
			for _, loc := range []engine.Location{agent, shell} {
				if !process(loc.Pane).Lost {
					t.Errorf("%s is %+v", loc.Pane, process(loc.Pane))
				}
			}
			if process(ended.Pane).Lost {
				t.Error("what ended by itself is lost")
			}
			if _, err := s.Respawn(t.Context(), shell.Pane, engine.Launch{}); err != nil || process(shell.Pane).Lost {
				t.Errorf("the shell runs again: %+v, %v", process(shell.Pane), err)
			}
		})
	}
}

package own_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
	"cupola/core/engine/own/wire"
	"cupola/core/system/shell/shelltest"
	"cupola/core/term"
)

// seen returns all that a terminal shows when it attaches: the screen, the cursor, the modes, the title.
func seen(t testing.TB, s *own.Server, loc engine.Location, width, height int) string {
	t.Helper()
	view, err := s.View(t.Context(), loc.Session, loc.Pane, width, height)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	output, err := view.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// replaced kills a server and waits for the next one.
func replaced(t testing.TB, s *own.Server) {
	t.Helper()
	was := pidOf(t, s)
	kill(t, was)
	if hello, err := s.Hello(t.Context()); err != nil || hello.PID == was {
		t.Fatalf("no other server: %+v, %v", hello, err)
	}
}

// awaitKept waits until a holder has the journals, and the terminals of a session.
func awaitKept(t testing.TB, s *own.Server) {
	t.Helper()
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		held, is := wire.ReadHeld(s.SocketPath())
		return is && held.Journals && len(held.Sessions) > 0
	}, func() string { return "no holder has the journals" })
}

// states are sequences, and each leaves a terminal in another state.
var states = []string{
	"\x1b[?1h", "\x1b=", "\x1b[?2004h", "\x1b[?1004h", "\x1b[?1000h", "\x1b[?1003h\x1b[?1006h", "\x1b[>5u",
	"\x1b[>1u\x1b[>31u", "\x1b[5 q",
	"\x1b[?25l", "\x1b[?7l", "\x1b[4h", "\x1b[20h", "\x1b[?6h", "\x1b[3;9r", "\x1b(0abc", "\x1b)0\x0e",
	"\x1b[?2027h", "\x1b]2;a title\x07",
	"\x1b[1;3;4:3;38;5;200;48;2;1;2;3mstyled",
	"\x1b[?1049hfull\x1b[5;5Hscreen", "\x1b[7;9H", "first\r\n\n\n\n\nlast", "\x1b[12;3H\x1b7\x1b[H",
	"\x1b]2;half a title", "\x1b[3", "\xe6\x97",
}

// TestACrashChangesNothing kills the server of programs that have left their terminals in every state, and will not
// draw again.
func TestACrashChangesNothing(t *testing.T) {
	t.Parallel()
	s := private(t)
	const width, height = 60, 20
	dir := t.TempDir()
	loc := make([]engine.Location, len(states))
	before := make([]string, len(states))
	for i, state := range states {
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte("text before\r\n"+state), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		loc[i], err = s.Create(t.Context(), engine.Launch{
			Session: fmt.Sprintf("s%d", i), Width: width, Height: height,
			Argv: []string{"/bin/sh", "-c", "stty raw -echo; cat " + file + "; exec sleep 1000"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, state := range states {
		want := term.New(width, height)
		_, _ = want.Write([]byte("text before\r\n" + state))
		before[i] = string(want.Redraw())
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			return seen(t, s, loc[i], width, height) == before[i]
		}, func() string { return fmt.Sprintf("%q: %q", state, seen(t, s, loc[i], width, height)) })
	}
	awaitKept(t, s)
	for range 2 { // what was taken over is kept too
		replaced(t, s)
		for i, state := range states {
			if after := seen(t, s, loc[i], width, height); after != before[i] {
				t.Errorf("%q:\n%q\nbecomes\n%q", state, before[i], after)
			}
		}
	}
	l, err := s.List(t.Context(), 0)
	if err != nil || len(l.Panes) != len(states) {
		t.Fatalf("%d panes, %v", len(l.Panes), err)
	}
	for _, pane := range l.Panes {
		if pane.View.Partial {
			t.Errorf("%s is not known whole", pane.ID)
		}
	}
	// The rest of what was half there completes it.
	if err := s.Paste(t.Context(), loc[2].Pane, []byte("x")); err != nil {
		t.Fatal(err)
	}
}

// TestAFloodThatIsKilledIsWhole kills servers under programs that print without a break.
func TestAFloodThatIsKilledIsWhole(t *testing.T) {
	t.Parallel()
	s := private(t)
	const lines, panes = 30_000, 3
	script := fmt.Sprintf(
		`i=0; while [ $i -lt %d ]; do i=$((i+1)); printf 'line %%06d \033[31mred\033[0m\n' $i; done; printf 'END'; exec sleep 1000`,
		lines,
	)
	var locs []engine.Location
	for i := range panes {
		locs = append(locs, createIn(t, s, fmt.Sprintf("s%d", i), script))
	}
	awaitKept(t, s)
	for range 6 {
		<-time.After(150 * time.Millisecond)
		replaced(t, s)
	}
	for _, loc := range locs {
		shows(t, s, loc.Pane, "END")
		number := 0
		for line := range strings.SplitSeq(shown(t, s, loc.Pane), "\n") {
			var n int
			if _, err := fmt.Sscanf(line, "line %06d red", &n); err != nil {
				if !strings.HasPrefix(line, "END") && line != "" {
					t.Fatalf("%s: %q", loc.Pane, line)
				}
				continue
			}
			if number != 0 && n != number+1 {
				t.Fatalf("%s: line %d after %d", loc.Pane, n, number)
			}
			number = n
		}
		if number != lines {
			t.Errorf("%s: the last line is %d", loc.Pane, number)
		}
	}
}

// TestWhatIsAskedMeanwhileIsAnswered asks without a break while servers are killed: no answer says that there are no
// sessions. A server lives until each asker has had an answer since the last one was killed, however slow that is.
func TestWhatIsAskedMeanwhileIsAnswered(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(t, s, "s", "exec cat")
	awaitKept(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	var answers [3]atomic.Int64
	for i := range answers {
		asking.Go(func() {
			for ctx.Err() == nil {
				if l, err := s.List(ctx, 0); ctx.Err() == nil && (err != nil || len(l.Panes) != 1) {
					t.Errorf("%+v, %v", l, err)
				}
				one := enginetest.OwnClient(t, s.SocketPath(), nil)
				if _, err := one.Capture(ctx, engine.Ask{Pane: loc.Pane}); ctx.Err() == nil && err != nil {
					t.Error(err)
				}
				_ = one.Close()
				answers[i].Add(1)
			}
		})
	}
	for range 8 {
		replaced(t, s)
		for i := range answers {
			had := answers[i].Load()
			enginetest.Eventually(t, enginetest.Timeout, func() bool { return answers[i].Load() > had }, func() string {
				return fmt.Sprintf("asker %d had no answer since the server was replaced", i)
			})
		}
	}
	stop()
	asking.Wait()
}

// copied is a client whose server is a copy of this program.
func copied(t *testing.T) (s *own.Server, program string) {
	t.Helper()
	s = private(t)
	program = filepath.Join(t.TempDir(), "cupola")
	body, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = shelltest.WriteProgram(program, body)
	}
	if err != nil {
		t.Fatal(err)
	}
	own.Opts(s).Start = []string{program, server.ServerWord}
	return s, program
}

// TestNoTerminalIsLetGo makes every start of another server fail, and kills the server.
func TestNoTerminalIsLetGo(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, program, socket string){
		"moved": func(t *testing.T, program, _ string) {
			if err := os.Rename(program, program+".gone"); err != nil {
				t.Fatal(err)
			}
		},
		"no program": func(t *testing.T, program, _ string) {
			replace(t, program, "no program")
		},
		"ends at once": func(t *testing.T, program, _ string) {
			replace(t, program, "#!/bin/sh\nexit 1\n")
		},
		"folder removed": func(t *testing.T, _, socket string) {
			if err := os.RemoveAll(filepath.Dir(socket)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, program := copied(t)
			locs := []engine.Location{createIn(t, s, "a", "echo here; exec cat"), createIn(t, s, "b", "exec cat")}
			shows(t, s, locs[0].Pane, "here")
			awaitKept(t, s)
			was := pidOf(t, s)
			spoil(t, program, s.SocketPath())
			kill(t, was)
			enginetest.Eventually(t, enginetest.Timeout, func() bool {
				l, err := s.List(t.Context(), 0)
				return err == nil && len(l.Panes) == len(locs)
			}, func() string { return "no server has the terminals" })
			if !strings.Contains(shown(t, s, locs[0].Pane), "here") {
				t.Errorf("the screen is %q", shown(t, s, locs[0].Pane))
			}
			for _, loc := range locs {
				if !running(loc.PID) {
					t.Errorf("%s: its program is gone", loc.Pane)
				}
			}
			if err := s.KillSession(t.Context(), locs[1].Session); err != nil {
				t.Error(err)
			}
			enginetest.Eventually(t, enginetest.Timeout, func() bool { return !running(locs[1].PID) }, nil)
		})
	}
}

func replace(t *testing.T, program, text string) {
	t.Helper()
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := shelltest.WriteProgram(program, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestTheLimitOfFilesIsNamed fills a server up to the files that it may open, and kills it.
func TestTheLimitOfFilesIsNamed(t *testing.T) {
	t.Parallel()
	s := private(t)
	own.Opts(s).Start = append([]string{"/bin/sh", "-c", `ulimit -n 64; exec "$@"`, "sh"}, own.Opts(s).Start...)
	var locs []engine.Location
	var err error
	for i := 0; err == nil && i < 64; i++ {
		var loc engine.Location
		if loc, err = s.Create(t.Context(), engine.Launch{
			Session: fmt.Sprintf("s%d", i), Argv: []string{"/bin/sh", "-c", "exec sleep 1000"},
		}); err == nil {
			locs = append(locs, loc)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "ulimit -n") || len(locs) < 32 {
		t.Fatalf("%d panes, then %v", len(locs), err)
	}
	awaitKept(t, s)
	for range 3 {
		<-time.After(300 * time.Millisecond)
		replaced(t, s)
		l, err := s.List(t.Context(), 0)
		if err != nil || len(l.Panes) != len(locs) {
			t.Fatalf("%d panes of %d, %v", len(l.Panes), len(locs), err)
		}
	}
	for _, loc := range locs {
		if !running(loc.PID) {
			t.Errorf("%s: its program is gone", loc.Pane)
		}
	}
}

// TestNoServerBeginsBesideTheHeld creates sessions just when the server was killed, and finds the others beside them.
func TestNoServerBeginsBesideTheHeld(t *testing.T) {
	t.Parallel()
	s := private(t)
	createIn(t, s, "first", "exec cat")
	awaitKept(t, s)
	for i := range 4 {
		kill(t, pidOf(t, s))
		createIn(t, s, fmt.Sprintf("more%d", i), "exec cat")
		if l, err := s.List(t.Context(), 0); err != nil || len(l.Sessions) != i+2 {
			t.Fatalf("%d sessions, %v", len(l.Sessions), err)
		}
		awaitKept(t, s)
	}
}

// TestAScreenThatIsNotKnownIsSaid damages the journals before the crash: panes say that they are not known, until
// their programs have drawn all.
func TestAScreenThatIsNotKnownIsSaid(t *testing.T) {
	t.Parallel()
	s := private(t)
	// It has no journals.
	own.Opts(s).Start = append([]string{"/bin/sh", "-c", `ulimit -f 1000000; exec "$@"`, "sh"}, own.Opts(s).Start...)
	silent := createIn(t, s, "silent", "printf '\\033[?2004h\\033]2;a title\\007draft'; exec cat")
	painter := createIn(t, s, "painter",
		`draw() { sleep 0.1; size=$(stty size); [ "$size" != "$last" ] && printf '\033[2J\033[Hdrawn %s' "$size"; last=$size; }
		trap draw WINCH; draw; while :; do sleep 0.05; done`)
	shows(t, s, silent.Pane, "draft")
	shows(t, s, painter.Pane, "drawn")
	awaitHolder(t, s, 0)
	<-time.After(500 * time.Millisecond) // the holder receives modes a moment later
	replaced(t, s)
	partial := func(id core.PaneID) bool {
		l, err := s.List(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, pane := range l.Panes {
			if pane.ID == id {
				return pane.View.Partial
			}
		}
		t.Fatalf("%s is gone", id)
		return false
	}
	if !partial(silent.Pane) {
		t.Error("a screen that nobody drew counts as known")
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return !partial(painter.Pane) },
		func() string { return "the painter was not made to draw: " + shown(t, s, painter.Pane) })
	shows(t, s, painter.Pane, "drawn 50 200")
	screens, err := s.Capture(t.Context(), engine.Ask{Pane: silent.Pane})
	if err != nil || !screens[0].View.Partial || screens[0].Title != "a title" {
		t.Errorf("%+v, %v", screens, err)
	}
	if err := s.Paste(t.Context(), silent.Pane, []byte("x")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, silent.Pane, "^[[200~x^[[201~")
}

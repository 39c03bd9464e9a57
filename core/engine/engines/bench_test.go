package engines_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/system/process"
)

// benchPanes is how many panes the servers have in benchmarks, visiblePanes how many of them a dashboard shows.
const benchPanes, visiblePanes = 100, 12

// bench is a private server with sessions whose panes run a script.
type bench struct {
	engine.Engine
	locs []engine.Location
	// serves is the process of the server.
	serves int
}

// sideBySide runs a benchmark on both engines, in one run.
func sideBySide(b *testing.B, script string, run func(b *testing.B, s *bench)) {
	for _, name := range []string{engine.Tmux, engine.Own} {
		b.Run(name, func(b *testing.B) {
			b.Setenv("CUPOLA_TEST_ENGINE", name)
			server := enginetest.Private(b)
			s := &bench{}
			if name == engine.Own {
				s.Engine = enginetest.OwnClient(b, server.Socket, server.Environ)
			} else {
				opened, err := tmux.Open(
					tmux.Options{Binary: server.Binary, Socket: server.Socket, Environ: server.Environ},
				)
				if err != nil {
					b.Fatal(err)
				}
				s.Engine = opened
			}
			for i := range benchPanes {
				loc, err := s.Create(b.Context(), engine.Launch{
					Session: fmt.Sprintf("s%02d", i), Argv: []string{"/bin/bash", "--norc", "-c", script},
				})
				if err != nil {
					b.Fatal(err)
				}
				s.locs = append(s.locs, loc)
			}
			s.serves = parentOf(b, s.locs[0].PID)
			run(b, s)
		})
	}
}

// statOf are the fields of a process behind its name.
func statOf(b *testing.B, pid int) []string {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("needs /proc: ", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

// parentOf is the process that started another one.
func parentOf(b *testing.B, pid int) int {
	b.Helper()
	found, err := process.Find(pid)
	if err != nil {
		b.Fatal(err)
	}
	return found.Parent
}

// cpuOf is how long a process has computed so far.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	fields := statOf(b, pid)
	const user, system, hundredth = 11, 12, 10 * time.Millisecond
	var ticks int64
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * hundredth
}

// idle is a shell's loop at its prompt; lines prints ten lines a second without another process.
const (
	idle  = "while true; do read -r x; done"
	lines = "i=0; while true; do read -t 0.1 -r x; i=$((i+1)); echo line $i of an agent that is at work; done"
)

// watched starts a feed as a dashboard has it, and lets it settle.
func (s *bench) watched(b *testing.B) engine.Feed {
	b.Helper()
	feed := s.Watch(b.Context())
	visible := make([]core.PaneID, visiblePanes)
	for i := range visible {
		visible[i] = s.locs[i].Pane
	}
	feed.SetFocus(engine.Focus{Watched: true, Visible: visible})
	for settle := time.After(3 * time.Second); ; {
		select {
		case <-feed.Changes():
		case <-settle:
			return feed
		}
	}
}

// BenchmarkPrintToEvent measures how long after a visible pane printed its change comes, of 100 panes with shells.
func BenchmarkPrintToEvent(b *testing.B) {
	sideBySide(b, idle, func(b *testing.B, s *bench) {
		feed := s.watched(b)
		l, err := s.List(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		ttys := map[core.PaneID]string{}
		for i := range l.Panes {
			ttys[l.Panes[i].ID] = l.Panes[i].TTY
		}
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			pane := s.locs[i%visiblePanes].Pane
			tty, err := os.OpenFile(ttys[pane], os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			_, _ = tty.WriteString("x")
			for change := range feed.Changes() {
				if slices.Contains(change.Dirty, pane) {
					break
				}
			}
			took = append(took, time.Since(began))
			_ = tty.Close()
			<-time.After(30 * time.Millisecond)
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
		b.ReportMetric(float64(took[len(took)-1].Microseconds()), "µs-worst")
	})
}

// BenchmarkList measures a listing of 100 panes with all that it can have.
func BenchmarkList(b *testing.B) {
	sideBySide(b, idle, func(b *testing.B, s *bench) {
		for b.Loop() {
			if l, err := s.List(b.Context(), engine.WithCommand|engine.WithDir); err != nil ||
				len(l.Panes) != benchPanes {
				b.Fatalf("%d panes, %v", len(l.Panes), err)
			}
		}
	})
}

// BenchmarkServer measures how much of a processor the server takes while a dashboard watches 100 panes: of shells at
// their prompts, and of programs that print ten lines a second.
func BenchmarkServer(b *testing.B) {
	for name, script := range map[string]string{"idle": idle, "ten lines a second": lines} {
		b.Run(name, func(b *testing.B) {
			sideBySide(b, script, func(b *testing.B, s *bench) {
				feed := s.watched(b)
				go func() {
					for range feed.Changes() {
					}
				}()
				const long = 10 * time.Second
				for b.Loop() {
					before := cpuOf(b, s.serves)
					<-time.After(long)
					b.ReportMetric(100*float64(cpuOf(b, s.serves)-before)/float64(long), "%-of-a-processor")
				}
			})
		})
	}
}

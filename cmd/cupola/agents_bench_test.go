package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/fleet/fleettest"
)

// BenchmarkStatusOfAgents is BenchmarkStatus where every pane shows a recorded screen of an
// agent, whose state must be judged: by a first call, by a later one while some agents work,
// and while all rest. The budget is 4 over the socket.
func BenchmarkStatusOfAgents(b *testing.B) {
	program := buildProgram(b)
	for _, panes := range []int{10, 100} {
		for _, transport := range []string{"socket", "exec"} {
			m := newMachine(b)
			m.employ(b, panes)
			status := m.timed(program, "CUPOLA_ENGINE_TRANSPORT="+transport, "status")
			bare := m.baseline(b)
			name := fmt.Sprintf("panes=%d/%s/", panes, transport)
			b.Run(name+"first", func(b *testing.B) {
				compare(b, func() time.Duration {
					forgetScreens(b, m)
					return status()
				}, bare)
			})
			for _, working := range []int{panes / 5, 0} {
				b.Run(fmt.Sprintf("%sworking=%d", name, working), func(b *testing.B) {
					keepBusy(b, m, working)
					awaitRest(b, m, panes, status)
					compare(b, status, bare)
				})
			}
		}
	}
}

// keptScreens are the files in which single calls leave screens for each other.
func keptScreens(tb testing.TB, m *machine) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(m.runtime, "cupola", "*.screens"))
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func forgetScreens(tb testing.TB, m *machine) {
	tb.Helper()
	for _, file := range keptScreens(tb, m) {
		if err := os.Remove(file); err != nil {
			tb.Fatal(err)
		}
	}
}

// awaitRest looks until the screens that do not move are known, where they are so many
// that they are kept at all.
func awaitRest(tb testing.TB, m *machine, panes int, look func() time.Duration) {
	tb.Helper()
	forgetScreens(tb, m)
	for late := time.After(testTimeout); panes > 20 && len(keptScreens(tb, m)) == 0; {
		look()
		select {
		case <-late:
			tb.Fatal("no screens are kept")
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// keepBusy makes some panes print twice a second until the benchmark ends.
func keepBusy(b *testing.B, m *machine, panes int) {
	b.Helper()
	var terminals []*os.File
	for path := range strings.FieldsSeq(m.tmux.Run("list-panes", "-a", "-F", "#{pane_tty}")) {
		if len(terminals) == panes {
			break
		}
		terminal, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		terminals = append(terminals, terminal)
	}
	ended := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for {
			for _, terminal := range terminals {
				fmt.Fprint(terminal, "\x1b7\x1b8")
			}
			select {
			case <-ended:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
	b.Cleanup(func() {
		close(ended)
		writing.Wait()
		for _, terminal := range terminals {
			terminal.Close()
		}
	})
}

// employ starts panes that show recorded screens, ten a session, the kinds in
// turn, and waits until all are drawn.
func (m *machine) employ(tb testing.TB, panes int) {
	tb.Helper()
	screens := fleettest.Recordings(tb)
	kinds := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	for i := range panes {
		kind := kinds[i%len(kinds)]
		r := screens[kind][i/len(kinds)%len(screens[kind])]
		file := filepath.Join(m.tmux.Dir, fmt.Sprintf("screen-%d", i))
		if err := os.WriteFile(file, []byte(r.Drawn(tb)+"\x1b]2;drawn\a"), 0o600); err != nil {
			tb.Fatal(err)
		}
		session := fmt.Sprintf("s%d", i/10)
		args := []string{"new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=" + session + ":"}
		if i%10 == 0 {
			args = []string{"new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, "-x", "120", "-y", "40"}
		}
		id := strings.TrimSpace(m.tmux.Run(append(args, "--", "sh", "-c", "cat "+file+"; exec sleep 100000")...))
		m.tmux.Run("set-option", "-p", "-t", id, "@cupola_kind", id+":"+kind, ";", "set-option", "-p", "-t", id,
			"@cupola_tagged", "1")
	}
	for late := time.After(testTimeout); ; {
		if strings.Count(m.tmux.Run("list-panes", "-a", "-F", "#{pane_title}"), "drawn") == panes {
			return
		}
		select {
		case <-late:
			tb.Fatal("the screens are not drawn")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

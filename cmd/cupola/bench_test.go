package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// BenchmarkStatus runs the program as a user's script would and, in turn, a Go program that prints a word followed by
// the cheapest thing that tmux itself can be asked. It reports the ratio of the medians: x-baseline. The budget is 2
// for 100 panes over the socket.
func BenchmarkStatus(b *testing.B) {
	program := buildProgram(b)
	for _, world := range []struct {
		panes           int
		holds, engineBy string
	}{
		{10, "sh", "socket"},
		{100, "sh", "socket"},
		{100, "bash", "socket"},
		{100, "cat", "socket"},
		{100, "sh", "exec"},
		{100, "sh", engine.Own},
		{500, "sh", engine.Own},
	} {
		b.Run(fmt.Sprintf("panes=%d/holds=%s/%s", world.panes, world.holds, world.engineBy), func(b *testing.B) {
			m := newMachine(b)
			m.fill(world.panes, world.holds)
			by := "CUPOLA_ENGINE_TRANSPORT=" + world.engineBy
			if world.engineBy == engine.Own {
				by = "CUPOLA_ENGINE_SOCKET=" + m.fillOwn(world.panes, world.holds)
			}
			cupola := m.timed(program, by, "status")
			compare(b, cupola, m.baseline(b))
		})
	}
}

// baseline runs a Go program that prints a word, and then a bare list of tmux.
func (m *machine) baseline(b *testing.B) func() time.Duration {
	b.Helper()
	dir := b.TempDir()
	source := filepath.Join(dir, "word.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"word\") }\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "word")
	if out, err := exec.Command("go", "build", "-o", path, source).CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	word, bare := m.timed(path, ""), m.timed(m.tmux.Binary, "", "-S", m.tmux.Socket, "list-panes", "-a")
	return func() time.Duration { return word() + bare() }
}

// BenchmarkVersion measures a call without any request, against true.
func BenchmarkVersion(b *testing.B) {
	program := buildProgram(b)
	m := newMachine(b)
	compare(b, m.timed(program, "", "--robot-version"), m.timed("true", ""))
}

// compare runs two things in turn and reports the ratio of their medians.
func compare(b *testing.B, subject, baseline func() time.Duration) {
	b.Helper()
	subject()
	baseline()
	var costs, bases []time.Duration
	for b.Loop() {
		costs, bases = append(costs, subject()), append(bases, baseline())
	}
	cost, base := median(costs), median(bases)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(cost.Seconds()*1000, "ms-cupola")
	b.ReportMetric(base.Seconds()*1000, "ms-baseline")
	b.ReportMetric(float64(cost)/float64(base), "x-baseline")
}

func median(durations []time.Duration) time.Duration {
	slices.Sort(durations)
	return durations[len(durations)/2]
}

// buildProgram builds the program as it is shipped, not as a test binary.
func buildProgram(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "cupola")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// fill starts panes in which a program waits for input, ten a session.
func (m *machine) fill(panes int, program string) {
	m.t.Helper()
	for i := range panes {
		session := fmt.Sprintf("s%d", i/10)
		if i%10 == 0 {
			m.tmux.Run("new-session", "-d", "-s", session, "-x", "120", "-y", "40", "--", program)
		} else {
			m.tmux.Run("new-window", "-d", "-t", "="+session+":", "--", program)
		}
	}
}

// fillOwn does the same on a server of Cupola's own, and returns its socket.
func (m *machine) fillOwn(panes int, program string) (socket string) {
	m.t.Helper()
	socket = filepath.Join(m.tmux.Dir, "own")
	m.t.Cleanup(func() { enginetest.StopOwn(m.t, socket) })
	s := enginetest.OwnClient(m.t, socket, m.environ())
	var into core.SessionID
	for i := range panes {
		launch := engine.Launch{Argv: []string{program}, Into: into}
		if i%10 == 0 {
			launch = engine.Launch{Argv: launch.Argv, Session: fmt.Sprintf("s%d", i/10), Width: 120, Height: 40}
		}
		place, err := s.Create(m.t.Context(), launch)
		if err != nil {
			m.t.Fatal(err)
		}
		into = place.Session
	}
	return socket
}

// timed returns a function that runs a program to its end and says how long it
// took.
func (m *machine) timed(program, env string, args ...string) func() time.Duration {
	return func() time.Duration {
		cmd := m.command(program, args...)
		if env != "" {
			cmd.Env = append(cmd.Env, env)
		}
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		began := time.Now()
		if err := cmd.Run(); err != nil {
			m.t.Fatalf("%s %q: %v", program, args, err)
		}
		return time.Since(began)
	}
}

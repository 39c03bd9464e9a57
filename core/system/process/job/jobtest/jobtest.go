// Package jobtest starts processes that leave the one that started them in every way there is, for tests.
package jobtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/system/process"
)

// Unmarked is the way that leaves nothing to be found by once the parents have ended, unless a standard stream or a
// control group does.
const Unmarked = "env -i twice"

// ways are lines of a shell that leave $SLEEP running.
var ways = map[string]string{
	"child":              `$SLEEP &`,
	"nohup":              `nohup $SLEEP >/dev/null 2>&1 &`,
	"setsid":             `setsid $SLEEP &`,
	"double fork":        `($SLEEP &)`,
	"double setsid":      `(setsid sh -c "setsid $SLEEP & exit" &)`,
	"double setsid deaf": `(setsid sh -c "setsid sh -c 'trap \"\" HUP TERM; exec $SLEEP' & exit" &)`,
	"env -i":             `env -i setsid $SLEEP &`,
	Unmarked:             `(env -i setsid sh -c "setsid $SLEEP >/dev/null 2>&1 </dev/null & exit" &)`,
	"disown":             `$SLEEP & disown 2>/dev/null`,
	"a shell that ended": `sh -c "$SLEEP &"`,
	"closed files":       `(setsid sh -c "$SLEEP <&- >&- 2>&- & exit" &)`,
}

// Scene is a shell script that leaves a process in every way.
type Scene struct {
	// Script is its text.
	Script string
	dir    string
}

// New returns a scene. Its processes end with the test.
func New(t testing.TB) *Scene {
	t.Helper()
	s := &Scene{dir: t.TempDir()}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	for _, tool := range []string{"setsid", "env", "nohup"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	for way, line := range ways {
		// Each process is known by the name of its program.
		if err := os.Symlink(sleep, s.program(way)); err != nil {
			t.Fatal(err)
		}
		s.Script += strings.ReplaceAll(line, "$SLEEP", s.program(way)+" 300") + "\n"
	}
	t.Cleanup(func() {
		for all := s.all(t); len(all) > 0; all = s.all(t) {
			for _, found := range all {
				_ = process.Signal(found.Proc, syscall.SIGKILL)
			}
		}
	})
	return s
}

func (s *Scene) program(way string) string {
	return filepath.Join(s.dir, strings.ReplaceAll(way, " ", "-"))
}

// found is a process of a scene.
type found struct {
	process.Proc
	way string
}

// all returns the processes that run. A program that was started twice has several of one way.
func (s *Scene) all(t testing.TB) []found {
	t.Helper()
	table, err := process.All()
	if err != nil {
		t.Fatal(err)
	}
	var all []found
	for _, p := range table {
		argv := process.Argv(p.PID)
		for way := range ways {
			if len(argv) == 2 && argv[0] == s.program(way) && !p.Zombie {
				all = append(all, found{p, way})
			}
		}
	}
	return all
}

// running returns a process of each way that runs.
func (s *Scene) running(t testing.TB) map[string]process.Proc {
	t.Helper()
	running := map[string]process.Proc{}
	for _, found := range s.all(t) {
		running[found.way] = found.Proc
	}
	return running
}

// Started waits until there is a process of every way, and returns them.
func (s *Scene) Started(t testing.TB) map[string]process.Proc {
	t.Helper()
	return s.await(t, func(running map[string]process.Proc) bool { return len(running) == len(ways) })
}

// Gone fails the test for each way whose process does not end, but for those that are given.
func (s *Scene) Gone(t testing.TB, but ...string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		running := s.running(t)
		for _, way := range but {
			delete(running, way)
		}
		if len(running) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for way, p := range running {
				t.Errorf("the process that left by %q keeps running: %d", way, p.PID)
			}
			return
		}
	}
}

func (s *Scene) await(t testing.TB, met func(map[string]process.Proc) bool) map[string]process.Proc {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		running := s.running(t)
		if met(running) {
			return running
		}
		if time.Now().After(deadline) {
			t.Fatalf("only these run: %v", running)
		}
	}
}

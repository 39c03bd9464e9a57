package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"cupola/core/engine/enginetest"
)

// TestMain makes the test binary the program itself where it is run as cupola,
// which is first in PATH for every test here.
func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"cupola": mainOrCalls, failing: failAtTheDashboard})
}

// tidy removes what the tests have built.
type tidy struct{ *testing.M }

// Run runs the tests.
func (r tidy) Run() int {
	defer func() {
		if buildDir != "" {
			os.RemoveAll(buildDir)
		}
	}()
	// The doctor objects to folders that others can write.
	syscall.Umask(0o022)
	return r.M.Run()
}

func TestScripts(t *testing.T) {
	for _, name := range processes {
		if _, err := os.Stat(filepath.Join("testdata", "script", name+".txtar")); err != nil {
			t.Error(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// Its own folder would be left behind where not all scripts run.
		WorkdirRoot: enginetest.ShortDir(t),
		Setup: func(env *testscript.Env) error {
			newOne := newMachine
			if raceDetector {
				newOne = newBareMachine // the shipped program has no race detector
			}
			m := newOne(env.T().(testing.TB))
			env.Vars = append(env.Vars, m.variables()...)
			env.Vars = append(env.Vars, "SOCKET="+m.tmux.Socket)
			env.Values[machineKey{}] = m
			name := path.Base(m.t.Name())
			var err error
			if !slices.Contains(processes, name) {
				m.variable, err = scriptVariables(name, env.Vars)
			}
			return err
		},
		// [tmux] is true where tests run on tmux, and not on Cupola's own terminal server.
		Condition: func(name string) (bool, error) {
			if name != "tmux" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return !enginetest.OnOwn(), nil
		},
		Cmds:               scriptCommands,
		RequireUniqueNames: true,
	})
}

func TestThisProgramIsTheFirstInPath(t *testing.T) {
	if got := newBareMachine(t).cupola("version", "--human"); got.stdout != "cupola dev\n" || got.status != 0 {
		t.Errorf("cupola version --human = %+v", got)
	}
}

package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program itself where it is run as cupola,
// which is first in PATH for every test here.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cupola": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			m := newMachine(env.T().(testing.TB))
			env.Vars = append(env.Vars, m.variables()...)
			// A script that leaves a folder behind must not depend on where the
			// tests run.
			env.Vars = append(env.Vars, "WORK="+env.WorkDir, "TMUX_PROGRAM="+m.tmux.Binary)
			env.Values[machineKey{}] = m
			return nil
		},
		Cmds:               scriptCommands,
		RequireUniqueNames: true,
	})
}

func TestTheProgramIsInPath(t *testing.T) {
	if os.Getenv("PATH") == "" {
		t.Fatal("PATH is empty")
	}
	m := newMachine(t)
	if got := m.cupola("version", "--human"); got.stdout != "cupola dev\n" || got.status != 0 {
		t.Errorf("cupola version --human = %+v", got)
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/system/shell/shelltest"
)

func TestTheDashboardOpensByItsNameToo(t *testing.T) {
	t.Parallel()
	newDisplay(t, newFleetMachine(t), 120, 32).open("dashboard").shows("api", "scr_1")
}

func TestConfigEditChecksSettings(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	editor := filepath.Join(m.tmux.Dir, "an editor")
	script := "#!/bin/sh\nprintf 'edited %s\\n' \"$1\"\ngrep -q 'waiting_critical' \"$2\" || exit 3\nprintf " +
		"'[alerts]\\nidle = true\\n' >\"$2\"\n"
	if err := shelltest.WriteProgram(editor, []byte(script)); err != nil {
		t.Fatal(err)
	}
	cmd := m.command(m.program, "config", "edit")
	cmd.Env = append(cmd.Env, "VISUAL='"+editor+"' --now", "EDITOR=false")
	got := onTerminal(t, cmd).end()
	for _, part := range []string{
		"edited --now", "broken",
		"config.toml: line 2: alerts.idle is true;",
	} {
		if !strings.Contains(got.stdout, part) {
			t.Errorf("%q is not in\n%s", part, got.stdout)
		}
	}
	failing := m.command(m.program, "config", "edit")
	failing.Env = append(failing.Env, "VISUAL=", "EDITOR=false")
	if got := onTerminal(t, failing).end(); got.status == 0 {
		t.Errorf("the editor failed: %+v", got)
	}
}

package enginetest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
)

var respawning = []promise{
	{"another program starts in the pane's place", func(t *testing.T, e subject) {
		dir := filepath.Join(t.TempDir(), "a b")
		makeDir(t, dir)
		first := e.create(t, engine.Launch{
			Session: "s", Argv: shell("echo before"),
			Tags: map[string]string{engine.TagKind: "kind-a", engine.TagLaunch: "old"},
		})
		other := e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("")})
		e.shows(t, first.Pane, "before")
		again, err := e.Respawn(t.Context(), first.Pane, engine.Launch{
			Dir: dir, Argv: []string{
				"/bin/sh", "-c",
				`printf '%s|%s|%s\n' "$1" "$CUPOLA_ODD" "$PWD"; exec sleep 100000`, "sh", "x; #{pane_id}",
			},
			Env:  []string{"CUPOLA_ODD=a b;$x"},
			Tags: map[string]string{engine.TagLaunch: "new; 'x'", engine.TagHook: ""},
		})
		if err != nil {
			t.Fatal(err)
		}
		e.shows(t, first.Pane, "x; #{pane_id}|a b;$x|"+dir)
		if strings.Contains(e.text(t, first.Pane), "before") {
			t.Errorf("the old screen is there:\n%s", e.text(t, first.Pane))
		}
		pane := e.pane(t, first.Pane)
		if again.Pane != first.Pane || again.Session != first.Session || again.Window != first.Window ||
			again.PID == first.PID || again.PID != pane.Process.PID {
			t.Errorf("%+v, was %+v, is %+v", again, first, pane.Process)
		}
		if pane.Tags[engine.TagKind] != "kind-a" || pane.Tags[engine.TagLaunch] != "new; 'x'" {
			t.Errorf("tags: %q", pane.Tags)
		}
		if len(e.list(t).Panes) != 2 || e.pane(t, other.Pane).Process.Dead {
			t.Errorf("%+v", e.list(t).Panes)
		}
	}},
	{"a dead pane lives again, and stays when it ends", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Argv: []string{"/bin/sh", "-c", "exit 3"}})
		Eventually(t, Timeout, func() bool { return e.pane(t, loc.Pane).Process.Dead }, nil)
		if _, err := e.Respawn(t.Context(), loc.Pane,
			engine.Launch{Argv: []string{"/bin/sh", "-c", "read x; exit 4"}}); err != nil {
			t.Fatal(err)
		}
		if e.pane(t, loc.Pane).Process.Dead {
			t.Error("it is dead")
		}
		if err := e.Press(t.Context(), loc.Pane, "Enter"); err != nil {
			t.Fatal(err)
		}
		Eventually(t, Timeout, func() bool { return e.pane(t, loc.Pane).Process.Dead }, nil)
	}},
	{"the PATH is the launch's", func(t *testing.T, e subject) {
		dir := t.TempDir()
		writeProgram(t, filepath.Join(dir, "only-there"), "#!/bin/sh\necho it runs\nexec sleep 100000\n")
		loc := e.session(t, "s", "")
		if _, err := e.Respawn(t.Context(), loc.Pane,
			engine.Launch{Argv: []string{"only-there"}, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}); err != nil {
			t.Fatal(err)
		}
		e.shows(t, loc.Pane, "it runs")
	}},
	{"a pane that is gone is named", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		if _, err := e.Respawn(t.Context(), "%99", engine.Launch{}); !errors.Is(err, engine.ErrNoPane) {
			t.Errorf("error: %v", err)
		}
	}},
	{"a missing folder ends nothing", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "echo before")
		e.shows(t, loc.Pane, "before")
		if _, err := e.Respawn(t.Context(), loc.Pane,
			engine.Launch{Dir: filepath.Join(t.TempDir(), "none")}); err == nil {
			t.Error("no error")
		}
		if pane := e.pane(t, loc.Pane); pane.Process.PID != loc.PID {
			t.Errorf("%+v", pane.Process)
		}
	}},
}

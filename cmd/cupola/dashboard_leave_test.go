package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

func TestTheTerminalIsRestoredOnEveryWayOut(t *testing.T) {
	t.Parallel()
	m := newTroupe(t)
	signal := func(s syscall.Signal) func(*display) {
		return func(d *display) {
			if err := syscall.Kill(d.pid(), s); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name   string
		leave  func(*display)
		status string
	}{
		{"q", func(d *display) { d.keys("q") }, "0"},
		{"ctrl+c", func(d *display) { d.keys("C-c") }, "0"},
		{"q in the grid", func(d *display) { d.keys("g"); d.shows("━ · api.1"); d.keys("q") }, "0"},
		{"SIGINT", signal(syscall.SIGINT), "130"},
		{"SIGTERM", signal(syscall.SIGTERM), "130"},
		{"SIGHUP", signal(syscall.SIGHUP), "130"},
		{"SIGTERM in a form", func(d *display) { d.keys("s"); d.shows("Send to"); signal(syscall.SIGTERM)(d) }, "130"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 24).open()
			d.selected("scr_1")
			test.leave(d)
			d.restored()
			if text := d.screen(); strings.Contains(text, "goroutine") {
				t.Errorf("it says\n%s", text)
			}
		})
		t.Run("status of "+test.name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 24).open()
			d.selected("scr_1")
			test.leave(d)
			d.shows(prompt)
			if status := d.status(); status != test.status {
				t.Errorf("status %s, not %s\n%s", status, test.status, d.screen())
			}
		})
	}
}

func TestAClosedTerminalEndsTheDashboard(t *testing.T) {
	t.Parallel()
	m := newTroupe(t)
	for name, args := range map[string][]string{"the dashboard": nil, "the demo": {"demo"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 24).open(args...)
			pid := d.pid()
			d.outer.Stop()
			enginetest.Eventually(t, patience, func() bool { return syscall.Kill(pid, 0) != nil }, func() string { return "it runs on" })
			m.mustHaveNoDemo(t)
		})
	}
}

func TestADemoLeavesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for name, leave := range map[string]func(*display){
		"q":       func(d *display) { d.keys("q") },
		"SIGTERM": func(d *display) { syscall.Kill(d.pid(), syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 120, 32).open("demo")
			d.shows("api", "docs", "web", "importer")
			leave(d)
			d.restored()
			m.mustHaveNoDemo(t)
			if got := m.sessions(); got != "" {
				t.Errorf("sessions: %s", got)
			}
		})
	}
}

// mustHaveNoDemo wants the demos that ended to have left no folder.
func (m *machine) mustHaveNoDemo(t *testing.T) {
	t.Helper()
	var left []string
	enginetest.Eventually(t, patience, func() bool {
		left, _ = filepath.Glob(filepath.Join(m.tmux.Dir, "cupola-demo*"))
		return len(left) == 0
	}, func() string { return strings.Join(left, ", ") })
}

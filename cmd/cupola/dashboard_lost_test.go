package main

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

func TestTheDashboardIsSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	m.knowsDashboard() // its welcome would be a part of the screen until it goes
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("j")
	d.selected("scr_2")
	d.shows("? for help · mock-1", "2 idle")
	before := ""
	d.until("no keys in the footer", func(screen string) bool {
		before = ageless(screen)
		return strings.Contains(screen, "? help")
	})
	for _, size := range [][2]int{{90, 20}, {120, 32}} {
		d.keys("C-z")
		d.restored()
		m.tmux.Run("new-session", "-d", "-s", "while-away", "cat")
		d.resize(size[0], size[1])
		d.line("fg")
		d.shows("while-away")
		m.tmux.Run("kill-session", "-t", "while-away")
		d.lacks("while-away")
		d.until("it does not have the new size", func(screen string) bool {
			return strings.Count(screen, "\n") == size[1]-1 && d.modes() == dashboardModes
		})
	}
	d.until("the dashboard is not as it was, which was:\n"+before, func(screen string) bool {
		return ageless(screen) == before
	})
	// Another process stops it; the shell then gives the terminal its own modes.
	enginetest.Suspend(t, d.foreground())
	d.until("the shell does not go on", func(screen string) bool { return strings.HasSuffix(screen, prompt) })
	d.text("fg")
	d.keys("C-j") // the shell may leave the terminal as it was, which makes no line end of Enter
	d.until("the dashboard does not take its terminal back", func(screen string) bool {
		return strings.HasPrefix(screen, "cupola") && d.modes() == dashboardModes && ageless(screen) == before
	})
	d.keys("k")
	d.selected("scr_1")
	d.keys("q")
	d.restored()
}

func TestTheDashboardOutlivesTheServer(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	m.mustKill(m.tmux.Run("display-message", "-p", "#{pid}"))
	d.shows("agents ran until", "L brings them back")
	d.keys("j", "g", "y", "Enter", "s")
	d.shows("L brings them back")
	d.keys("L")
	d.shows("all that ran")
	d.keys("Enter")
	d.shows("restore --yes")
	d.keys("Enter")
	d.shows("Restored")
	d.keys("Escape")
	d.shows("▾ api", "▾ web")
	d.keys("n")
	d.shows("New session")
	d.text("zz")
	d.keys("Tab", "Tab", "Tab")
	d.text("echo in-the-new-one; exec cat")
	d.keys("C-s")
	d.until("the new session has no agent", func(screen string) bool {
		_, rows, _ := strings.Cut(screen, "▾ zz")
		return strings.Contains(rows, "cmd_1")
	})
	d.keys("G")
	d.shows("in-the-new-one")
	d.keys("q")
	d.restored()
	if got := m.sessions(); got != "api web zz" {
		t.Errorf("sessions: %s", got)
	}
}

func TestWhatRanIsStartedAgainAfterAQuestion(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	m.must("status")
	m.mustKill(m.tmux.Run("display-message", "-p", "#{pid}"))
	d := newDisplay(t, m, 120, 40)
	d.begin("restore")
	d.shows("api.1  scr_1 in ", "Start 5 panes again? [y/N]")
	d.keys("n")
	d.shows("nothing was done")
	if got := m.sessions(); got != "" {
		t.Errorf("sessions: %s", got)
	}
	d.begin("restore")
	d.lacks("nothing was done")
	d.shows("again? [y/N]")
	d.keys("y")
	d.shows("Restored 5 panes")
	if got := m.sessions(); got != "api web" {
		t.Errorf("sessions: %s", got)
	}
}

func TestThereIsNoServerAtFirst(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	d := newDisplay(t, m, 80, 24).open()
	d.shows("No agents yet.")
	m.tmux.Run("new-session", "-d", "-s", "first", "cat")
	d.shows("▾ first")
	d.keys("q")
	d.restored()
}

func TestTheSelectedAgentDies(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	m.mustKill(m.tmux.Run("display-message", "-p", "-t", m.scripted("api", 1), "#{pane_pid}"))
	d.shows("signal 9", "killed")
	d.selected("scr_1")
	// Its pane is closed, and its neighbour is selected.
	m.tmux.Run("kill-pane", "-t", m.scripted("api", 1))
	d.selected("scr_2")
	d.shows("api.2")
	m.tmux.Run("kill-session", "-t", "=api")
	d.lacks("scr_2")
	d.shows("▾ web")
	if selection(d.screen()) == "" {
		t.Errorf("nothing is selected:\n%s", d.screen())
	}
}

func TestTheDashboardOutlivesTheKeeper(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	keeper := m.command(m.program, "watch")
	var said buffer
	keeper.Stdout, keeper.Stderr = &said, &said
	mustStart(t, keeper)
	said.mustReach(t, `"resync"`)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	m.tmux.Run("new-session", "-d", "-s", "before", "cat")
	d.shows("▾ before")
	if err := keeper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = keeper.Wait()
	m.tmux.Run("new-session", "-d", "-s", "after", "cat")
	d.shows("▾ after", "▾ before")
	d.selected("scr_1")
	m.tmux.Run("send-keys", "-t", m.scripted("api", 1), "-l", "a-draft-typed-now")
	d.shows("a-draft-typed-now")
	d.keys("q")
	d.restored()
}

func TestDashboardContinuesWhenAnotherEnds(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	first := newDisplay(t, m, 100, 24).open()
	first.selected("scr_1")
	second := newDisplay(t, m, 100, 24).open()
	second.selected("scr_1")
	second.keys("j")
	second.selected("scr_2")
	first.selected("scr_1")
	first.keys("q")
	first.restored()
	m.tmux.Run("new-session", "-d", "-s", "after", "cat")
	second.shows("▾ after")
	second.selected("scr_2")
	second.keys("q")
	second.restored()
}

// mustKill kills a process with SIGKILL.
func (m *machine) mustKill(pid string) {
	m.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil || n <= 1 {
		m.t.Fatalf("no process: %q", pid)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		m.t.Fatal(err)
	}
}

func TestSuspendNeedsJobControlShell(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 100, 24)
	d.line("clear; exec cupola")
	d.until("the dashboard does not open", func(screen string) bool {
		return strings.HasPrefix(screen, "cupola") && d.modes() == dashboardModes
	})
	d.keys("C-z")
	d.shows("it cannot be suspended")
	d.keys("?")
	d.shows("send a prompt")
}

func TestStoppedServerIsSilentNotLost(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 100, 24).open()
	d.selected("scr_1")
	pid, err := strconv.Atoi(m.tmux.Run("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Suspend(t, pid)
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
	d.shows("terminal server not answering for")
	d.shows("scr_1")
	d.lacks("has ended")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	d.lacks("not answering")
	d.selected("scr_1")
}

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

func TestAttachReturnsToDashboard(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	m.knowsDashboard()
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("G")
	d.shows("in-the-cat")
	d.keys("[", "[", "h", "]", "j", "j")
	d.selected("cmd_1")
	before := ageless(d.shows("▸ api", "in-the-cat"))
	for range 2 {
		d.keys("Enter")
		d.shows("[web]")
		d.text("typed into the pane")
		d.shows("typed into the pane")
		d.keys("C-u", "C-b", "d")
		d.until("it does not come back",
			func(screen string) bool { return d.modes() == dashboardModes && selection(screen) != "" })
		d.until("the dashboard is not as it was", func(screen string) bool {
			now := ageless(screen)
			return selection(now) == selection(before) &&
				sameBut(now, before, "in-the-cat", "typed into", "200x50", "120x31", "web ")
		})
	}
	d.click("1 cmd_1", 2)
	d.shows("[web]")
	d.resize(100, 28)
	d.keys("C-b", "d")
	d.until("it does not have the new size", func(screen string) bool {
		return selection(ageless(screen)) == selection(before) && strings.Count(screen, "\n") == 27
	})
	d.keys("k")
	d.selected("sh")
	d.keys("q")
	d.restored()
}

// sameBut compares two screens line by line; lines that hold one of some texts
// on either side are not compared.
func sameBut(a, b string, but ...string) bool {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		differ := left[i] != right[i]
		for _, text := range but {
			differ = differ && !strings.Contains(left[i], text) && !strings.Contains(right[i], text)
		}
		if differ {
			return false
		}
	}
	return true
}

func TestAttachingWithinTheServerSwitchesTheClient(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	m.tmux.Run("new-session", "-d", "-s", "desk", "-c", m.tmux.Dir, "sh", "-i")
	d := newDisplay(t, m, 120, 32)
	d.line("clear; tmux -u -f /dev/null attach -t desk")
	d.shows("[desk]")
	d.line("cupola")
	d.shows("scr_1", "[desk]", "? for help · mock-1")
	d.keys("j")
	d.selected("scr_2")
	clients := func() string { return m.tmux.Run("list-clients", "-F", "#{client_session}") }
	for range 2 {
		d.keys("Enter")
		d.shows("[api]")
		if on := clients(); on != "api" {
			t.Errorf("the client shows %q", on)
		}
		if pane := m.tmux.Run("display-message", "-p", "-t", "=api:", "#{pane_id}"); pane != m.scripted("api", 2) {
			t.Errorf("it shows pane %s", pane)
		}
		d.keys("C-b", "L")
		d.shows("[desk]")
		d.selected("scr_2")
	}
	d.keys("y")
	d.shows("copied")
	enginetest.Eventually(t, testTimeout, func() bool {
		copied, err := m.tmux.Try("show-buffer")
		return err == nil && strings.Contains(copied, "? for help · mock-1")
	}, d.screen)
	d.keys("q")
	d.lacks("scr_1")
	d.keys("C-b", "d")
	d.restored()
}

// scripted is the id of an agent's pane.
func (m *machine) scripted(session string, ordinal int) string {
	m.t.Helper()
	return mustAsk(m.t, fmt.Sprintf(".panes[] | select(.ordinal == %d) | .pane", ordinal),
		m.cupola("status", "--session="+session))
}

func TestASignalWhileAttachedGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("Enter")
	d.shows("[api]")
	if err := syscall.Kill(d.pid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	d.restored()
	mustHaveNoClient(m)
}

// mustHaveNoClient waits until the server has let all its clients go.
func mustHaveNoClient(m *machine) {
	m.t.Helper()
	left := ""
	enginetest.Eventually(m.t, testTimeout, func() bool {
		left = m.tmux.Run("list-clients")
		return left == ""
	}, func() string { return "clients: " + left })
}

func TestTheServerDiesWhileAttached(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("Enter")
	d.shows("[api]")
	m.mustKill(m.tmux.Run("display-message", "-p", "#{pid}"))
	d.shows("The terminal server has ended.")
	d.until("the modes are not the dashboard's", func(string) bool { return d.modes() == dashboardModes })
	d.keys("q")
	d.restored()
}

func TestAClosedTerminalWhileAttachedEndsBoth(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("Enter")
	d.shows("[api]")
	pid := d.pid()
	d.outer.Stop()
	enginetest.Eventually(t, testTimeout, func() bool { return syscall.Kill(pid, 0) != nil },
		func() string { return "the dashboard runs on" })
	mustHaveNoClient(m)
	if got := m.sessions(); got != "api web" {
		t.Errorf("sessions: %s", got)
	}
}

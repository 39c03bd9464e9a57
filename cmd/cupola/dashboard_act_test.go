package main

import (
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
)

func TestThePromptOfAFormIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("s")
	d.shows("Send to api.1")
	d.text("first line")
	d.keys("Enter")
	d.text("second j q x line")
	// A prompt that was started is there again.
	d.keys("Escape")
	d.lacks("Send to")
	d.keys("j", "s")
	d.shows("Send to api.2")
	d.lacks("second j q x line")
	d.keys("Escape")
	d.lacks("Send to")
	d.keys("k", "s")
	d.shows("Send to api.1", "second j q x line")
	d.keys("C-s")
	d.shows("api.1 delivered")
	m.mustLog("prompt", "first line\nsecond j q x line")

	d.keys("s")
	d.shows("Send to api.1")
	d.text("with enter")
	d.keys("Enter", "Enter")
	d.lacks("Send to")
	d.shows("api.1 delivered")
	m.mustLog("prompt", "first line\nsecond j q x line", "with enter")

	m.must("wait", "api")
	d.keys("S")
	d.shows("Send to ", "of api")
	d.text("to both")
	d.keys("M-Enter")
	d.shows("2 delivered")
	m.mustLog("prompt", "first line\nsecond j q x line", "with enter", "to both", "to both")
}

func TestSessionsAreStartedGrownRenamedAndEnded(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")

	d.keys("n")
	d.shows("New session")
	d.text("docs")
	d.keys("Tab", "Tab", "Tab")
	d.text("echo in-the-docs; exec cat")
	d.keys("C-s")
	d.lacks("New session")
	d.shows("docs", "cmd_1")
	d.keys("/")
	d.text("docs")
	d.keys("Enter")
	d.lacks("web")
	d.shows("cmd_1")
	d.keys("G")
	d.shows("in-the-docs")
	d.selected("cmd_1")

	d.keys("a")
	d.shows("Add to docs")
	d.keys("Tab", "Tab")
	d.text("exec cat")
	d.keys("C-s")
	d.shows("started 1 pane in docs", "cmd_2")

	d.keys(",")
	d.shows("Rename docs")
	d.keys("C-u")
	d.text("papers")
	d.keys("Enter")
	d.shows("renamed docs to papers")
	d.keys("Escape")
	d.shows("papers.1")
	d.selected("cmd_1")
	if got := m.sessions(); got != "api papers web" {
		t.Errorf("sessions: %s", got)
	}

	d.keys("x")
	d.shows("End papers.1?")
	d.keys("n")
	d.lacks("End papers.1?")
	d.keys("x")
	d.shows("End papers.1?")
	d.keys("Y")
	d.shows("ended papers.1")
	d.selected("cmd_2")
	d.keys("Home", "]")
	d.selected("papers")
	d.keys("x")
	d.shows("End papers?")
	d.keys("Escape")
	d.lacks("End papers?")
	if got := m.sessions(); got != "api papers web" {
		t.Errorf("sessions: %s", got)
	}
	d.keys("x")
	d.shows("End papers")
	d.keys("Y")
	d.shows("ended papers")
	d.lacks("▾ papers")
	if got := m.sessions(); got != "api web" {
		t.Errorf("sessions: %s", got)
	}
}

func TestATurnIsInterrupted(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("i")
	d.shows("nothing to interrupt in api.1")
	if got := m.cupola("send", "api.1", "slow 900"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	d.shows("esc to interrupt")
	d.keys("i")
	d.shows("interrupted api.1")
	m.mustLog("interrupt", "")
}

func TestCopyPane(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("G")
	d.shows("in-the-cat")
	d.keys("y")
	d.shows("copied 1 line")
	copied := ""
	enginetest.Eventually(t, testTimeout, func() bool {
		var err error
		copied, err = d.outer.Try("show-buffer")
		return err == nil
	}, d.screen)
	if copied != "in-the-cat" {
		t.Errorf("copied %q", copied)
	}
}

func TestNextAgentThatNeedsTheUser(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("w")
	d.shows("needs you")
	d.selected("scr_1")
	d.keys("Home", "h")
	d.lacks("1 scr_1")
	d.keys("G")
	d.selected("cmd_1")
	m.mustKill(m.tmux.Run("display-message", "-p", "-t", m.pane("api", "cupola"), "#{pane_pid}"))
	d.shows("1 exited")
	d.keys("w")
	d.selected("scr_1")
	// Why it exited is known a moment after that it did.
	d.shows("killed")
	if row := selection(d.screen()); !strings.Contains(row, "killed") {
		t.Errorf("selected: %s", row)
	}
}

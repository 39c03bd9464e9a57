package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
)

// on clicks on the line that shows a text.
func (s *harness) on(text string, x int) tea.Cmd {
	s.t.Helper()
	s.shows(text)
	return s.click(tea.MouseButtonLeft, x, s.row(text))
}

func TestAClickSelects(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.on("2 cod_1", 5)
	s.shows("◆ api.2")
	s.on("▾ web", 5)
	if s.model.choice.Pane != "" || s.model.choice.Session != "$3" {
		t.Errorf("selected %+v", s.model.choice)
	}
	s.click(tea.MouseButtonLeft, 5, 20)
	if s.model.choice.Session != "$3" {
		t.Error("a click beside everything selects")
	}
	s.click(tea.MouseButtonRight, 5, s.row("2 cod_1"))
	s.model.Update(tea.MouseMsg{X: 5, Y: s.row("2 cod_1"), Button: tea.MouseButtonLeft, Action: tea.MouseActionRelease})
	if s.model.choice.Session != "$3" {
		t.Error("another button, or letting go, selects")
	}
	if did := s.recorder.last(); did != nil {
		t.Errorf("did %+v", did)
	}
}

func TestAClickSelectsATile(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("g")
	s.on("api.4", 100)
	if s.model.choice.Pane != "%4" {
		t.Errorf("selected %s", s.model.choice.Pane)
	}
}

func TestADoubleClickOpens(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.on("2 cod_1", 5)
	s.on("2 cod_1", 9)
	if did, want := s.recorder.last(),
		(intent.Attach{Target: intent.Target{Session: "api", Pane: "%2", Address: "api.2"}}); did != want {
		t.Errorf("did %+v", did)
	}
}

func TestTwoClicksFarApartAreTwo(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	cooling := s.on("2 cod_1", 5)
	s.model.Update(cooling())
	s.on("2 cod_1", 5)
	s.on("3 gmi_1", 5)
	s.on("2 cod_1", 5)
	if did := s.recorder.last(); did != nil {
		t.Errorf("did %+v", did)
	}
	s.model.Update(clickExpired{1}) // of a click that others followed
	s.on("2 cod_1", 5)
	if s.recorder.last() == nil {
		t.Error("a click that has clickExpired cools a later one")
	}
}

func TestTheMouseDoesNothingUnderAForm(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	before := s.model.View()
	s.click(tea.MouseButtonLeft, 5, 2)
	s.click(tea.MouseButtonWheelDown, 5, 2)
	if s.model.View() != before {
		t.Errorf("it changed to\n%s", s.model.View())
	}
}

func TestWheelScrollsPanelUnderPointer(t *testing.T) {
	s := newHarness(t, theme.None, 80, 10)
	at := s.model.choice.Pane
	s.shows("auto mode on")
	s.click(tea.MouseButtonWheelUp, 60, 5)
	s.hides("auto mode on")
	s.shows("3 below")
	if s.model.choice.Pane != at {
		t.Errorf("the wheel over the preview selects %s", s.model.choice.Pane)
	}
	for range 9 {
		s.click(tea.MouseButtonWheelUp, 60, 5)
	}
	s.shows("✻ Claude Code")
	for range 3 {
		s.click(tea.MouseButtonWheelDown, 60, 5)
	}
	s.shows("auto mode on")
	s.click(tea.MouseButtonWheelDown, 5, 5)
	if s.model.choice.Pane != "%2" {
		t.Errorf("the wheel over the tree selects %s", s.model.choice.Pane)
	}
	s.press(" ")
	s.click(tea.MouseButtonWheelUp, 5, 5)
	if s.model.choice.Pane != "%2" {
		t.Errorf("the wheel over a pane alone selects %s", s.model.choice.Pane)
	}
}

func TestWheelWithoutSessions(t *testing.T) {
	s := bare(t, theme.None, 80, 24)
	for range 3 {
		s.click(tea.MouseButtonWheelDown, 5, 5)
		s.click(tea.MouseButtonLeft, 5, 5)
		s.show(&core.Snapshot{Taken: noon})
	}
	if did := s.recorder.last(); did != nil {
		t.Errorf("did %+v", did)
	}
}

package tui

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

func TestAcknowledgedAgentsComeBackOnSomethingNew(t *testing.T) {
	s := newHarness(t, theme.None, 80, 40)
	s.press("w")
	s.shows("Needs you                   4")
	s.press("z")
	s.shows("api.2 is off the list")
	s.shows("Needs you                   3")
	s.press("w", "w", "w")
	if s.model.choice.Pane == "%2" {
		t.Error("the way leads to an agent that was acknowledged")
	}
	again := fixture()
	again.Pane("%2").Status.Since = noon
	s.show(again)
	s.shows("Needs you                   4")
}

func TestAcknowledgingCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 80, 40)
	s.press("w", "z", "u")
	s.shows("Needs you                   4")
	s.shows("on the list again")
	s.press("u")
	s.shows("there is nothing to undo")
	s.press("home", "j", "j", "z")
	s.shows("does not need you")
}

func TestARenameCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 80, 40)
	s.model.Update(effect.Done{Intent: intent.Rename{From: "api", To: "api2"}, Said: "renamed api to api2"})
	s.shows("renamed api to api2; u undoes it")
	s.press("u")
	if got := s.recorder.last(); got != (intent.Rename{From: "api2", To: "api"}) {
		t.Errorf("did %+v", got)
	}
}

func TestAMessageStaysLongEnoughToBeRead(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	now := noon
	s.model.clock = func() time.Time { return now }
	s.model.Update(effect.Done{Intent: intent.Kill{}, Said: "ended api.1"})
	s.press("j")
	s.shows("ended api.1")
	now = now.Add(2 * time.Second)
	s.press("k")
	s.hides("ended api.1")
}

func TestRestartAsksInWhichSession(t *testing.T) {
	target := intent.Target{Session: "api", Pane: core.PaneID("%1"), Address: "api.1"}
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"R", "enter"}, intent.Restart{Target: target}},
		{[]string{"R", " ", "enter"}, intent.Restart{Target: target, Fresh: true}},
		{[]string{"home", "R", "enter"}, intent.Restart{Target: intent.Target{Session: "api", Address: "api"}}},
		{[]string{"R", "esc"}, nil},
		{[]string{"k", "R"}, nil},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press(test.keys...)
		if got := s.recorder.last(); got != test.want {
			t.Errorf("%v did %+v, want %+v", test.keys, got, test.want)
		}
	}
}

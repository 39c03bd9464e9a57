package tui

import (
	"testing"
	"time"

	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

func TestAcknowledgedAgentsComeBackOnSomethingNew(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("w")
	s.shows("Needs you                                           4")
	s.press("z")
	s.shows("api.2 is off the list")
	s.shows("Needs you                                           3")
	s.press("w", "w", "w")
	if s.model.choice.Pane == "%2" {
		t.Error("the way leads to an agent that was acknowledged")
	}
	again := fixture()
	again.Pane("%2").Status.Since = noon
	s.show(again)
	s.shows("Needs you                                           4")
}

func TestAcknowledgingCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("w", "z", "u")
	s.shows("Needs you                                           4")
	s.shows("on the list again")
	s.press("u")
	s.shows("there is nothing to undo")
	s.press("home", "j", "j", "z")
	s.shows("does not need you")
}

func TestARenameCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.model.Update(effect.Done{
		Intent: renamed, Answer: sessions.RenameOut{From: "api", To: "api2"}, Said: "renamed api to api2",
	})
	s.shows("renamed api to api2; u undoes it")
	s.press("u")
	want := onIts(sessions.RenameIn{InSession: registry.InSession{Session: "api2"}, To: "api"}, "api")
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestAMessageStaysLongEnoughToBeRead(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	now := noon
	s.model.clock = func() time.Time { return now }
	s.model.Update(effect.Done{Intent: act(ending, paneOne), Said: "ended api.1"})
	s.press("j")
	s.shows("ended api.1")
	now = now.Add(2 * time.Second)
	s.press("k")
	s.hides("ended api.1")
}

func TestRestartAsksInWhichSession(t *testing.T) {
	inNew, whole := restarted, restarted
	inNew.Fresh, whole.All = true, true
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"R", "enter"}, act(restarted, paneOne)},
		{[]string{"R", " ", "enter"}, act(inNew, paneOne)},
		{[]string{"home", "R", "enter"}, act(whole, intent.Target{Session: "api", Address: "api"})},
		{[]string{"R", "esc"}, nil},
		{[]string{"k", "R"}, nil},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
		}
	}
}

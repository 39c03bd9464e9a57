package tui

import (
	"testing"

	"cupola/theme"
	"cupola/tui/intent"
)

// TestEveryAnswerEndsItsAct goes over acts whose answer is another message than effect.Done: none stays under way.
func TestEveryAnswerEndsItsAct(t *testing.T) {
	for _, wanted := range []intent.Intent{
		intent.ListCheckpoints{},
		intent.Backends{},
		intent.PlanRun{},
		intent.RunCommand{},
		intent.Edit{Root: "/src"},
		intent.Question{},
	} {
		s := newHarness(t, theme.None, 80, 24)
		for range 2 {
			cmd := s.model.perform(wanted)
			if cmd == nil {
				t.Fatalf("%T is under way for ever", wanted)
			}
			s.model.Update(cmd())
		}
	}
}

func TestAMessageFadesUnlessItIsAnError(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.model.setStatus(theme.Good, "it was sent")
	s.model.Update(nil)
	s.shows("it was sent   Enter open")
	s.model.Update(faded{s.model.saidAt})
	s.hides("it was sent")
	s.model.setStatus(theme.Danger, "it failed")
	if s.model.fade() != nil {
		t.Error("an error goes by itself")
	}
}

func TestTheScreensAreListedAndClicked(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.shows("1 fleet  2 grid  3 inbox 4  4 changes")
	zone, hit := s.model.zones.At(18, 1)
	if open, is := zone.Target.(intent.Open); !hit || !is || open.Screen != "inbox" {
		t.Errorf("the name of the inbox is %+v", zone.Target)
	}
}

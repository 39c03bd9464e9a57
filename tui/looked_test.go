package tui

import (
	"testing"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
)

func TestAFinishedTurnIsLookedAtOnceItWasSelectedForLong(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	look := func() int {
		s.model.choice.Select(s.model.world.Snapshot, s.model.world.Snapshot.Pane("%4"))
		s.model.Update(nil)
		return s.model.looking.nth
	}
	first := look()
	s.press("j")
	s.model.Update(lookedFor{first})
	if did := s.recorder.last(); did != nil {
		t.Fatalf("an agent that was left at once counts as looked at: %+v", did)
	}
	second := look()
	s.model.Update(lookedFor{first})
	if did := s.recorder.last(); did != nil || second == first {
		t.Fatalf("the time of the look before counts: %+v", did)
	}
	s.model.Update(lookedFor{second})
	if did, is := s.recorder.last().(intent.Looked); !is || did.Pane.Pane != "%4" {
		t.Errorf("did %+v", did)
	}
	if title := terminalTitle(&s.model.world, s.model.choice); title != "cupola ◆4 ✓1" {
		t.Errorf("the title is %q", title)
	}
}

func TestAFinishedTurnIsTakenOffTheList(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.model.choice.Select(s.model.world.Snapshot, s.model.world.Snapshot.Pane("%4"))
	s.press("z")
	did, is := s.recorder.last().(intent.Looked)
	if !is || did.Pane.Pane != "%4" || did.Pane.Status.Shown() != core.Done {
		t.Errorf("did %+v", did)
	}
	s.shows("api.4 was looked at")
}

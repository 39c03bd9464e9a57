package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

func at(ordinals ...int) []intent.Target {
	var all []intent.Target
	for _, n := range ordinals {
		pane := fixture().Pane(core.PaneID("%" + string(rune('0'+n))))
		all = append(all, intent.Target{Session: pane.Session, Pane: pane.ID, Address: pane.Address()})
	}
	return all
}

func each(targets []intent.Target, act func(intent.Target) intent.Intent) intent.Each {
	var all intent.Each
	for _, target := range targets {
		all.Acts = append(all.Acts, act(target))
	}
	return all
}

func TestActsAreOnTheMarkedAgents(t *testing.T) {
	send := func(t intent.Target) intent.Intent { return intent.Send{Target: t, Text: "go"} }
	restart := func(t intent.Target) intent.Intent { return intent.Restart{Target: t} }
	kill := func(t intent.Target) intent.Intent { return intent.Kill{Target: t} }
	interrupt := func(t intent.Target) intent.Intent { return intent.Interrupt{Target: t} }
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"m", "m", "s", "g", "o", "ctrl+s"}, each(at(1, 2), send)},
		{[]string{"m", "j", "m", "s", "g", "o", "ctrl+s"}, each(at(1, 3), send)},
		{[]string{"m", "j", "M", "R", "enter"}, each(at(1, 2, 3), restart)},
		{[]string{"]", "m", "x", "Y"}, each(at(5), kill)},
		{[]string{"home", "m", "i", "y"}, each(at(1, 2, 3, 4), interrupt)},
		{[]string{"m", "k", "m", "s", "g", "o", "ctrl+s"}, intent.Send{Target: at(2)[0], Text: "go"}},
		{[]string{"m", "esc", "s", "g", "o", "ctrl+s"}, intent.Send{Target: at(2)[0], Text: "go"}},
		{[]string{"m", "m", "d"}, nil},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.press(test.keys...)
		if diff := cmp.Diff(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
		}
	}
}

func TestAllThatShowAreMarked(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("/")
	s.write("cc_\n")
	s.press("*")
	s.shows("5 marked")
	s.press("*")
	s.hides("marked")
}

func TestOnlyTheSameIsApprovedTogether(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	same := fixture()
	for _, id := range []core.PaneID{"%1", "%4"} {
		same.Pane(id).Status = same.Pane("%2").Status
	}
	s.show(same)
	s.press("m", "m", "j", "m", "d")
	s.shows("Approve for 3 marked agents?")
	s.shows("go test ./...")
	s.press("y")
	want := each(at(1, 2, 4), func(t intent.Target) intent.Intent {
		return intent.Answer{Target: t, Expect: core.ReasonApproval, Showing: "go test ./...", Approve: true}
	})
	if diff := cmp.Diff(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	same.Pane("%1").Status.Asks = "rm -rf build"
	s.show(same)
	s.press("home", "j", "j", "m", "m", "d")
	s.shows("asks something else")
}

func TestWhatWasNotSentToMarkedAgentsIsADraft(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("m", "m", "s")
	s.write("xyzzy")
	s.press("ctrl+s")
	wanted := s.recorder.last().(intent.Each)
	s.model.Update(effect.Done{
		Intent: wanted, Err: &core.Error{Code: core.DeliveryFailed, Message: "no"},
		Said: "api.1 delivered, api.2 refused", Unsent: at(2),
	})
	s.shows("api.2 refused")
	s.press("home", "j", "j", "s")
	s.hides("xyzzy")
	s.press("esc", "j", "s")
	s.shows("xyzzy")
}

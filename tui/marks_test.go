package tui

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/agents"
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

func TestActsAreOnTheMarkedAgents(t *testing.T) {
	send, everywhere := agents.SendIn{Msg: "go"}, agents.BroadcastIn{Prompt: "go"}
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"m", "m", "s", "g", "o", "ctrl+s"}, act(send, at(1, 2)...)},
		{[]string{"m", "j", "m", "s", "g", "o", "ctrl+s"}, act(send, at(1, 3)...)},
		{[]string{"m", "j", "M", "R", "enter"}, act(restarted, at(1, 2, 3)...)},
		{[]string{"]", "m", "x", "Y"}, act(ending, at(5)...)},
		{[]string{"home", "m", "i", "y"}, act(agents.InterruptIn{}, at(1, 2, 3, 4)...)},
		{[]string{"m", "k", "m", "s", "g", "o", "ctrl+s"}, act(send, at(2)...)},
		{[]string{"m", "esc", "s", "g", "o", "ctrl+s"}, act(send, at(2)...)},
		{[]string{"m", "]", "m", "s", "g", "o", "ctrl+s"}, act(everywhere, at(1, 5)...)},
		{
			[]string{"m", "]", "m", "x", "Y"},
			intent.Each{Acts: []intent.Act{act(ending, at(1)...), act(ending, at(5)...)}},
		},
		{[]string{"m", "m", "d"}, nil},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
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
	want := act(agents.AnswerIn{
		Expect: string(core.ReasonApproval), Showing: "go test ./...", Approve: true, All: true,
	}, at(1, 2, 4)...)
	if diff := differ(want, s.recorder.last()); diff != "" {
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
	wanted := s.recorder.last()
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

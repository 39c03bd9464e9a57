package tui

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/undo"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
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
	s.model.Update(effect.Done{
		Intent: s.recorder.last(), Err: core.Errorf(core.NotFound, "there is nothing to undo"),
	})
	s.shows("there is nothing to undo")
	s.press("home", "j", "j", "z")
	s.shows("does not need you")
}

func TestARenameCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.model.Update(effect.Done{
		Intent: renamed, Answer: sessions.RenameOut{From: "api", To: "api2"}, Said: "renamed api to api2",
		Undo: []undo.Act{{ID: "a1", Did: "renamed api to api2", Back: "names it api again"}},
	})
	s.shows("renamed api to api2; u undoes it")
	s.press("u")
	if diff := differ(onIts(checkpoints.UndoIn{Act: "a1", Consent: agreed}, "renamed api to api2"),
		s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestAnEndIsUndoneAfterAQuestionThatSaysWhatComesBack(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.model.Update(effect.Done{
		Intent: act(ending, paneOne), Said: "ended api with 2 panes", Undo: []undo.Act{{
			ID: "a2", Did: "ended api with 2 panes", Asks: true,
			Back: "starts 2 panes again, 2 agents with the conversation",
		}},
	})
	s.press("u")
	s.shows("Undo: ended api with 2 panes?")
	s.shows("It starts 2 panes again, 2 agents with the conversation.")
	if did := s.recorder.last(); did != nil {
		t.Errorf("it was undone without an answer: %v", did)
	}
	s.press("y")
	if diff := differ(onIts(checkpoints.UndoIn{Act: "a2", Consent: agreed}, "ended api with 2 panes"),
		s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatLastsIsSaidAndTheActBeforeItCanBeUndone(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.model.Update(effect.Done{Intent: prompt(paneOne, "go"), Said: "delivered to api.1"})
	s.press("u")
	s.shows("a prompt that was sent cannot be taken back; u again undoes what was done before")
	s.press("u")
	look := onIts(checkpoints.UndoIn{Preview: registry.Preview{DryRun: true}}, "the last act")
	if diff := differ(look, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.model.Update(effect.Done{Intent: look, Answer: checkpoints.UndoOut{
		DryRun: true, Acts: []checkpoints.ActRow{{ID: "a3", Did: "labelled api.1 review"}},
	}})
	if diff := differ(onIts(checkpoints.UndoIn{Act: "a3", Consent: agreed}, "labelled api.1 review"),
		s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

// acts opens the list of acts.
func (s *harness) acts() {
	s.t.Helper()
	s.press("U")
	minutes := func(n int) time.Time { return noon.Add(-time.Duration(n) * time.Minute) }
	answer[checkpoints.UndoIn](s, checkpoints.UndoOut{Acts: []checkpoints.ActRow{
		{
			ID: "a5", At: minutes(1), Did: "labelled api.1 review", Back: "gives back the label that was there before",
			UndoneAt: noon, Origin: "dashboard",
		},
		{ID: "a4", At: minutes(2), Did: "renamed api to api2", Back: "names it api again"},
		{
			ID: "a3", At: minutes(7), Did: "ended web with 4 panes", Asks: true, Origin: "dashboard",
			Back: "starts 4 panes again, 3 agents with the conversation",
		},
		{
			ID: "a2", At: minutes(40), Did: "committed 3f2a9c1 in api", Asks: true, Origin: "dashboard",
			Back: "takes the commit away; its changes stay, staged as before",
		},
	}})
}

func TestTheListOfActsUndoesTheSelectedOne(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.acts()
	s.shows("undoing it names it api again")
	s.press("u")
	s.shows("that was undone already")
	s.press("j", "enter")
	if diff := differ(onIts(checkpoints.UndoIn{Act: "a4", Consent: agreed}, "renamed api to api2"),
		s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

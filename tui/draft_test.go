package tui

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

func TestDraftsAreKeptByPane(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	s.write("for one\nin two lines")
	s.press("esc", "j", "s")
	s.hides("for one")
	s.write("for the other")
	s.press("ctrl+c", "S")
	s.hides("for one")
	s.hides("for the other")
	s.write("for all")
	s.press("esc", "k", "s")
	s.shows("for one")
	s.shows("in two lines")
	s.press("esc", "j", "s")
	s.shows("for the other")
	s.press("esc", "home", "s")
	s.shows("for all")
}

func TestADraftOutlivesARename(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	for _, key := range []string{"s", "S"} {
		s.press(key)
		s.write("kept " + key)
		s.press("esc")
	}
	renamed := fixture()
	renamed.Sessions[0].Name = "aaa"
	for i := range renamed.Sessions[0].Panes {
		renamed.Sessions[0].Panes[i].Session = "aaa"
	}
	s.show(renamed)
	s.press("s")
	s.shows("Send to aaa.1, cc_1")
	s.shows("kept s")
	s.press("esc", "S")
	s.shows("kept S")
}

func TestEnterOnAnEmptyLastLineSends(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	s.write("one\ntwo\n")
	if did := s.recorder.last(); did != nil {
		t.Fatalf("did %+v", did)
	}
	s.press("enter")
	if diff := differ(prompt(paneOne, "one\ntwo"), s.recorder.last()); diff != "" {
		t.Fatal(diff)
	}
	s.shows("sending to api.1…")
	s.press("s")
	s.hides("one")
}

func TestAnEmptyLineWithinAPromptIsTyped(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	s.write("one\ntwo")
	s.press("up", "end", "enter", "enter", "ctrl+s")
	if diff := differ(prompt(paneOne, "one\n\n\ntwo"), s.recorder.last()); diff != "" {
		t.Fatal(diff)
	}
}

var paneOne = intent.Target{Session: "api", Pane: "%1", Address: "api.1"}

// paneTwo waits for an approval.
var paneTwo = intent.Target{Session: "api", Pane: "%2", Address: "api.2"}

// send sends a text from the form and returns what was asked for.
func (s *harness) send(open, text string) intent.Act {
	s.t.Helper()
	s.press(open)
	s.write(text)
	s.press("ctrl+s")
	send, ok := s.recorder.last().(intent.Act)
	if !ok || promptOf(send) == "" {
		s.t.Fatalf("nothing was sent:\n%s", s.model.View())
	}
	return send
}

func TestAFailedSendBringsThePromptBack(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	send := s.send("s", "precious")
	s.press("s")
	s.write("meanwhile")
	s.model.Update(effect.Done{Intent: send, Err: refusal})
	s.press("esc")
	s.shows("pane api.2 did not take the prompt")
	s.press("s")
	s.shows("precious")
	s.shows("meanwhile")
}

func TestADeliveredPromptIsForgotten(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	send := s.send("s", "precious")
	s.model.Update(effect.Done{Intent: send, Said: "api.1 delivered"})
	s.shows("api.1 delivered")
	s.press("s")
	s.hides("precious")
}

func TestFailedPanesKeepThePromptAsDraft(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	send := s.send("S", "precious")
	second := intent.Target{Session: "api", Pane: "%2", Address: "api.2"}
	s.model.Update(effect.Done{
		Intent: send, Err: refusal, Said: "api.1 delivered, api.2 refused",
		Unsent: []intent.Target{second},
	})
	s.shows("api.1 delivered, api.2 refused")
	for _, test := range []struct {
		keys []string
		has  bool
	}{{[]string{"S"}, false}, {[]string{"esc", "s"}, false}, {[]string{"esc", "j", "s"}, true}} {
		s.press(test.keys...)
		if has := s.row("precious") >= 0; has != test.has {
			t.Errorf("after %v the prompt is there: %v", test.keys, has)
		}
	}
}

func TestRunningActIsNotRepeated(t *testing.T) {
	for _, keys := range [][]string{
		{"enter"},
		{"i"},
		{"y"},
		{"x", "Y"},
		{",", "2", "enter"},
		{"s", "a", "ctrl+s"},
		{"a", "c", "ctrl+s"},
		{"n", "z", "ctrl+s"},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press(keys...)
		first := s.recorder.exactly()
		s.press(keys...)
		if again := s.recorder.last(); again != nil {
			t.Errorf("%v: %+v is done twice", keys, again)
		}
		s.shows("that is under way")
		s.model.Update(effect.Done{Intent: first})
		s.press(keys...)
		if s.recorder.last() == nil {
			t.Errorf("%v: %+v can be done once only", keys, first)
		}
	}
}

func TestAPromptSentTwiceIsKept(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.send("s", "again")
	s.press("s")
	s.write("again")
	s.press("ctrl+s", "s")
	s.shows("again")
	s.write(" and more")
	s.press("ctrl+s")
	if send, ok := inputOf[agents.SendIn](s.recorder.last()); !ok || send.Msg != "again and more" {
		t.Errorf("another prompt for the same pane waits: %+v", send)
	}
}

func TestOnlyOneTerminalIsHandedOver(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("enter", "j", "enter")
	if len(s.recorder.did) != 1 {
		t.Errorf("did %+v", s.recorder.did)
	}
}

func TestActsNeedASelection(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("/")
	s.write("zzz\n")
	for _, key := range []string{"enter", "s", "S", "i", "y", "a", "R", ",", "x"} {
		s.press(key)
		s.shows("nothing is selected")
	}
	if did := s.recorder.last(); did != nil {
		t.Errorf("did %+v", did)
	}
}

func TestASessionWithoutAgentsTakesNoPrompt(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	snapshot := fixture()
	snapshot.Sessions[0].Panes = snapshot.Sessions[0].Panes[:1]
	s.show(snapshot)
	s.press("home", "s")
	s.shows("api has no agent; a adds one")
	s.press("j", "s")
	s.shows("Send to api.0")
}

func TestErrorsShowTheirHints(t *testing.T) {
	s := newHarness(t, theme.None, 60, 16)
	s.model.Update(effect.Done{
		Intent: renamed,
		Err: &core.Error{
			Code: core.AlreadyExists, Message: "a session named \"api\" exists\x1b[2J",
			Hint: "Take another name.",
		},
	})
	s.shows(`a session named "api" exists. Take another name.`)
	s.exact()
	s.press("j")
	s.hides("Take another name.")
	s.model.advise = func(err error) *core.Error {
		e := *core.AsError(err)
		e.Hint = "Start one."
		return &e
	}
	s.model.Update(effect.Done{Intent: renamed, Err: &core.Error{Message: "there is no session"}})
	s.shows("there is no session. Start one.")
}

func TestAMessageIsOneParagraph(t *testing.T) {
	s := newHarness(t, theme.None, 60, 16)
	s.model.Update(effect.Done{Intent: renamed, Said: "one\ntwo\tthree"})
	s.shows("one two three")
	s.exact()
}

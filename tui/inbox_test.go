package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/history"
)

func TestTheInboxAnswersInPlace(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("I")
	if got := s.recorder.last(); got != (intent.Question{Target: paneTwo}) {
		t.Fatalf("asked %+v", got)
	}
	s.shows("reading what it asks")
	s.press("y")
	if got := s.recorder.last(); got != nil {
		t.Fatalf("answered %+v before the dialog was read", got)
	}
	s.model.Update(openQuestion("%2"))
	s.shows("Would you like to run")
	s.press("y")
	did := s.recorder.last()
	answer, is := inputOf[agents.AnswerIn](did)
	if !is || !answer.Approve || did.(intent.Act).At[0] != paneTwo || answer.Expect != string(core.ReasonApproval) {
		t.Fatalf("did %+v", answer)
	}
	s.model.Update(effect.Done{Intent: did, Said: "api.2 was answered"})
	if s.model.choice.Pane != "%3" {
		t.Errorf("selected is %q", s.model.choice.Pane)
	}
	s.shows("API Error: 529 overloaded")
	s.press("n")
	s.shows("asks nothing")
	s.press("R")
	s.shows("Restart api.3")
	s.press("esc", "z")
	s.shows("3 need you")
	s.press("esc")
	s.shows("Needs you")
}

func TestTheInboxTakesWords(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("I")
	s.model.Update(openQuestion("%2"))
	s.press("t")
	s.write("not today")
	s.recorder.last()
	s.press("enter")
	did := s.recorder.did[0]
	answer, is := inputOf[agents.AnswerIn](did)
	if !is || answer.Text != "not today" || did.(intent.Act).At[0] != paneTwo {
		t.Fatalf("did %+v", s.recorder.did)
	}
}

func TestADialogOfAnotherAgentIsNotShown(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("I", "j")
	s.model.Update(openQuestion("%2"))
	s.hides("Yes, proceed")
}

func TestDigitsOpenScreens(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	for key, want := range map[string]string{
		"1": "Needs you", "2": "┏", "3": "Inbox", "4": "reading", "5": "Activity of", "6": "Usage of",
		"7": "Sent to all agents", "f8": "cupola doctor", "f9": "Settings",
		"f7": "Hosts",
	} {
		s.press("!", key)
		s.shows(want)
		if len(s.model.stack) > 2 {
			t.Errorf("%s: %d screens are open", key, len(s.model.stack))
		}
		if s.model.form != nil {
			t.Fatalf("%s opened a form", key)
		}
		s.press("esc")
	}
}

func TestAnyPromptIsSentAgainToItsAgent(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("7")
	if got := about[history.Question](s); got.About.Address != "all agents" {
		t.Fatalf("asked %+v", got)
	}
	answer[history.Question](s, recalled())
	s.press("r")
	s.shows("Send to api.1")
}

func TestADialogIsShownOnceAboveWhatLedToIt(t *testing.T) {
	defer func() { screens["%2"] = codex }()
	for _, size := range [][2]int{{80, 24}, {140, 40}, {200, 60}} {
		s := newHarness(t, theme.None, size[0], size[1])
		snapshot := fixture()
		pane := snapshot.Pane("%2")
		screens[pane.ID] = append([]string{"I changed the parser.", ""}, codex...)
		s.show(snapshot)
		s.press("I")
		s.model.Update(openQuestion(pane.ID))
		shown := ansi.Strip(s.model.View())
		n := strings.Count(shown, "Would you like to run")
		if n != 1 || !strings.Contains(shown, "I changed the parser.") {
			t.Errorf("%v: the dialog is shown %d times:\n%s", size, n, shown)
		}
	}
}

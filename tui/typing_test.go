package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

func TestEveryKeyGoesToThePaneThatIsTypedInto(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("T")
	s.shows("every key goes to api.1; ^] ends that")
	for name, want := range map[string]string{
		"q": "q", "esc": "Escape", "enter": "Enter", " ": "Space", "ctrl+c": "C-c", "up": "Up", "x": "x",
		"shift+tab": "BTab", "f5": "F5", "alt+b": "M-b", "pgdown": "NPage", "backspace": "BSpace", "?": "?", "日": "日",
	} {
		s.press(name)
		if got := s.recorder.last(); got != (intent.Press{Target: paneOne, Keys: want}) {
			t.Errorf("%q did %+v", name, got)
		}
	}
	s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a b\n"), Paste: true})
	if got := s.recorder.last(); got != (intent.Press{Target: paneOne, Keys: "a Space b Enter"}) {
		t.Errorf("a paste did %+v", got)
	}
	s.press("ctrl+]")
	s.hides("every key goes to")
	s.press("x")
	s.shows("End api.1?")
}

func TestWhatIsTypedForAPaneThatIsGoneDoesNothing(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("T")
	s.show(without("%1"))
	s.shows("api.1 takes no keys any more; ^] ends that")
	s.press("x", "Y", "q", "n")
	if got := s.recorder.last(); got != nil || s.model.form != nil {
		t.Errorf("did %+v", got)
	}
	s.press("ctrl+]", "n")
	s.shows("New session")
}

func TestWhatHasEndedIsNotTypedInto(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	ended := fixture()
	ended.Pane("%1").Process = core.Process{Dead: true}
	s.show(ended)
	s.press("T")
	s.shows("has ended")
	s.hides("every key goes to")
}

func TestNoFormOpensWhileAPaneIsTypedInto(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "d", "T")
	s.model.Update(openQuestion("%2"))
	s.model.Update(effect.CheckpointsListed{Entries: checkpointsOf()})
	if s.model.form != nil {
		t.Fatal("a form opened")
	}
	s.recorder.did = nil
	s.press("1")
	if got, is := s.recorder.last().(intent.Press); !is || got.Target.Pane != "%2" {
		t.Errorf("did %+v", got)
	}
}

package tui

import (
	"testing"

	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/screen"
)

// offer lets forms offer kinds of agents besides the fixture's offers.
func (s *harness) offer(kinds ...string) {
	offers := fixtureOffers
	offers.Kinds = kinds
	answer[screen.WorkQuestion](s, screen.AllWork{Of: fixtureWork, Offers: offers})
}

func TestAgentsArePickedWithTheirCounts(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.offer("claude", "codex", "gemini")
	s.press("n", "tab", " ", " ", "right", "3", "-", "right", "+", "-", "ctrl+s")
	want := sessions.SpawnIn{Session: "src"}
	want.Dir, want.Agents = "/src", []string{"claude=2", "codex=2"}
	if diff := differ(onIts(want, "src"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.press("n", "tab", " ")
	s.write("gemini:pro")
	s.press("ctrl+s")
	want.Agents = []string{"claude=1", "gemini:pro"}
	if diff := differ(onIts(want, "src"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestFormsOfferBothWaysToShowAnAgent(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.offer("gemini")
	s.press("n")
	s.hides("Shown")
	s.press("esc")
	offers := fixtureOffers
	offers.Kinds, offers.Both = []string{"claude", "gemini"}, []string{"gemini"}
	answer[screen.WorkQuestion](s, screen.AllWork{Of: fixtureWork, Offers: offers})
	s.press("n")
	s.shows("By screen or by protocol: gemini.")
	s.press("tab", "right", " ")
	s.press("tab", "tab", "tab", "tab", "tab", "tab", "left", "ctrl+s")
	if got, is := inputOf[sessions.SpawnIn](s.recorder.last()); !is || got.By != "acp" {
		t.Errorf("started %+v", got)
	}
	s.press("R")
	s.shows("as before")
	s.press("tab", " ")
	s.shows("by screen")
	s.press("ctrl+s")
	if got, is := inputOf[sessions.RestartIn](s.recorder.last()); !is || got.By != "screen" {
		t.Errorf("restarted %+v", got)
	}
}

func TestASessionIsStartedFromAPresetInWorktrees(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("n")
	s.write("x\n")
	s.press("tab", " ", "tab", "tab", "tab", "r", "tab", "ctrl+p", "ctrl+p")
	s.shows("Review the diff. Be brief.")
	s.press("ctrl+n", "ctrl+s")
	want := sessions.SpawnIn{Session: "x", SpawnPreset: "review"}
	want.Dir, want.Worktree, want.Prompt = "/src", true, "run the tests"
	if diff := differ(onIts(want, "x"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderIsCompleted(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("n", "tab", "tab", "tab", "tab")
	s.write("/w")
	s.shows("Folder")
	s.press("ctrl+u")
	s.write("/src/w")
	s.shows("/src/web")
	s.press("right", "ctrl+s")
	if got, is := inputOf[sessions.SpawnIn](s.recorder.last()); !is || got.Dir != "/src/web" || got.Session != "web" {
		t.Errorf("did %+v", got)
	}
}

func TestEarlierPromptsComeBackInTheForm(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	s.write("draft")
	s.press("ctrl+p")
	s.hides("draft")
	s.press("ctrl+p", "ctrl+p")
	s.shows("Be brief.")
	s.press("ctrl+n", "ctrl+n")
	s.shows("draft")
	s.press("ctrl+p", "ctrl+s")
	if diff := differ(prompt(paneOne, "run the tests"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
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
	want := intent.Spawn{Session: "src", Dir: "/src", Agents: []string{"claude=2", "codex=2"}}
	if diff := cmp.Diff(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.press("n", "tab", " ")
	s.write("gemini:pro")
	s.press("ctrl+s")
	want.Agents = []string{"claude=1", "gemini:pro"}
	if diff := cmp.Diff(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestASessionIsStartedFromAPresetInWorktrees(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("n")
	s.write("x\n")
	s.press("tab", "tab", "tab", " ", "tab", "r", "tab", "ctrl+p", "ctrl+p")
	s.shows("Review the diff. Be brief.")
	s.press("ctrl+n", "ctrl+s")
	want := intent.Spawn{
		Session: "x", Agents: []string{}, Dir: "/src", Worktree: true, Preset: "review", Prompt: "run the tests",
	}
	if diff := cmp.Diff(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderIsCompleted(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("n", "tab", "tab", "tab")
	s.write("/w")
	s.shows("Folder")
	s.press("ctrl+u")
	s.write("/src/w")
	s.shows("/src/web")
	s.press("right", "ctrl+s")
	if got, is := s.recorder.last().(intent.Spawn); !is || got.Dir != "/src/web" || got.Session != "web" {
		t.Errorf("did %+v", got)
	}
}

func TestEarlierPromptsComeBackInTheForm(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("s")
	s.write("begun")
	s.press("ctrl+p")
	s.hides("begun")
	s.press("ctrl+p", "ctrl+p")
	s.shows("Be brief.")
	s.press("ctrl+n", "ctrl+n")
	s.shows("begun")
	s.press("ctrl+p", "ctrl+s")
	want := intent.Send{
		Target: intent.Target{Session: "api", Pane: core.PaneID("%1"), Address: "api.1"}, Text: "run the tests",
	}
	if got := s.recorder.last(); got != want {
		t.Errorf("did %+v", got)
	}
}

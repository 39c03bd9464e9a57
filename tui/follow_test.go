package tui

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/theme"
	"cupola/tui/effect"
)

// without is the fixture without some panes; a session without any goes too.
func without(ids ...core.PaneID) *core.Snapshot {
	snapshot := fixture()
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		session.Panes = slices.DeleteFunc(session.Panes, func(p core.Pane) bool { return slices.Contains(ids, p.ID) })
	}
	snapshot.Sessions = slices.DeleteFunc(snapshot.Sessions, func(s core.Session) bool { return len(s.Panes) == 0 })
	return snapshot
}

// chose fails unless a session and a pane of it are selected.
func (s *harness) chose(session core.SessionID, pane core.PaneID) {
	s.t.Helper()
	if s.model.choice.Session != session || s.model.choice.Pane != pane {
		s.t.Errorf("selected %q %q, want %q %q", s.model.choice.Session, s.model.choice.Pane, session, pane)
	}
}

func TestChoiceSelectsFirstAgent(t *testing.T) {
	newHarness(t, theme.None, 80, 24).chose("$1", "%1")
	s := bare(t, theme.None, 80, 24)
	s.show(without("%1", "%2", "%3", "%4"))
	s.chose("$2", "%5")
}

func TestSelectionFollowsItsPane(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("]", "]", "j", "j")
	s.chose("$3", "%7")
	s.show(without("%0", "%1", "%5"))
	s.chose("$3", "%7")
	s.show(fixture())
	s.chose("$3", "%7")
	moved := fixture()
	slices.Reverse(moved.Sessions)
	slices.Reverse(moved.Sessions[0].Panes)
	s.show(moved)
	s.chose("$3", "%7")
}

func TestSelectionMovesToNeighbourOfClosedPane(t *testing.T) {
	for _, test := range []struct {
		name    string
		keys    []string
		gone    []core.PaneID
		session core.SessionID
		pane    core.PaneID
	}{
		{"the next one takes its place", []string{"j"}, []core.PaneID{"%2"}, "$1", "%3"},
		{"the last one leaves its place to the one before", []string{"j", "j", "j"}, []core.PaneID{"%4"}, "$1", "%3"},
		{"the only one leaves it to what follows", []string{"]", "j"}, []core.PaneID{"%5"}, "$3", "%6"},
		{"the last of all", []string{"G"}, []core.PaneID{"%9"}, "$3", "%8"},
		{"a session's row", []string{"]"}, []core.PaneID{"%5"}, "$3", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, screen := range []string{"", " "} {
				s := newHarness(t, theme.None, 80, 24)
				s.press(test.keys...)
				if screen != "" {
					s.press(screen)
				}
				s.show(without(test.gone...))
				s.chose(test.session, test.pane)
			}
		})
	}
}

func TestTheGridFollowsItsPanes(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("A", "l", "l")
	s.chose("$1", "%3")
	s.show(without("%1", "%0"))
	s.chose("$1", "%3")
	s.show(without("%0", "%1", "%3"))
	s.chose("$1", "%4")
	s.press("]")
	s.chose("$2", "%5")
	s.press("[")
	s.chose("$1", "%2")
	s.press("]", "]", "]")
	s.chose("$3", "%6")
}

func TestTheGridShowsPanesOfFoldedSessions(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("home", "h", "A", "l")
	s.chose("$1", "%2")
	s.press(" ")
	s.shows("◆ api.2")
	s.press("esc", "esc")
	s.chose("$1", "")
	s.press("G", "A", "home")
	s.chose("$1", "%1")
	s.press("esc")
	s.chose("$1", "")
}

func TestGridAppliesFilter(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("/")
	s.write("cc_1\n")
	s.press("A")
	if want := []core.PaneID{"%1", "%5", "%6"}; !slices.Equal(s.recorder.visible, want) {
		t.Errorf("it shows %v", s.recorder.visible)
	}
}

func TestGridShowsUserPanesWithoutAgents(t *testing.T) {
	s := bare(t, theme.None, 80, 24)
	s.show(without("%1", "%2", "%3", "%4", "%5", "%6", "%7", "%8", "%9"))
	for _, key := range []string{"g", "A"} {
		s.press(key)
		s.shows("api.0  bash  user")
	}
}

func TestGridOmitsUserPanes(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("k")
	s.chose("$1", "%0")
	s.press("g")
	s.chose("$1", "%1")
	s.hides("api.0")
}

func TestFilterKeepsVisibleSelection(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("j", "j", "j", "/")
	s.write("cod\n")
	s.chose("$1", "%4") // opencode
	s.press("/", "ctrl+u", "x", "enter")
	s.chose("$1", "%2")
	s.press("esc")
	s.chose("$1", "%2")
}

func TestFilterMatchesSessionsKindsAndStates(t *testing.T) {
	for filter, want := range map[string][]string{
		"WEB": {"1 cc_1", "2 cc_2", "3 cc_3", "4 qwen_1"}, "gemini": {"3 gmi_1"}, "limit": {"1 cc_1"},
		"unknown": {"4 qwen_1"}, "日本": {"1 cc_1"},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press("/")
		s.write(filter + "\n")
		shown := 0
		for _, row := range s.model.choice.Rows(s.model.world.Snapshot) {
			if row.Pane != nil {
				shown++
			}
		}
		if shown != len(want) {
			t.Errorf("%q shows %d panes, want %v", filter, shown, want)
		}
		for _, text := range want {
			s.shows(text)
		}
	}
}

func TestNextNeedsYouGoesByUrgency(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("]", "]", "h", "/")
	s.write("日本\n")
	for _, want := range []core.PaneID{"%2", "%3", "%8", "%6", "%4", "%2"} {
		s.press("w")
		if s.model.choice.Pane != want {
			t.Fatalf("got %s, want %s", s.model.choice.Pane, want)
		}
		if s.row("› ") < 0 {
			t.Fatalf("%s is hidden:\n%s", want, s.model.View())
		}
	}
	s.show(without("%2", "%3", "%4", "%6"))
	s.press("w")
	s.chose("$3", "%8")
	s.press("w")
	s.shows("no other agent needs you or is done")
}

func TestLateResultsAreDropped(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	late := captured(fixture().Pane("%1"))
	late.Lines[0] = "too late"
	s.show(without("%1"))
	s.model.Update(effect.Framed{Frame: keeper.Frame{Screens: map[core.PaneID]core.Screen{"%1": late}}})
	if _, kept := s.model.world.Screens["%1"]; kept {
		t.Error("the screen of a pane that is gone is kept")
	}
	s.show(fixture())
	closed := []core.Event{{Type: core.PaneClosed, PaneID: "%1"}}
	s.model.Update(effect.Framed{Frame: keeper.Frame{Snapshot: fixture(), Events: closed}})
	if _, kept := s.model.world.Screens["%1"]; kept {
		t.Error("the screen of a pane whose id is used again is kept")
	}
	s.exact()
}

func TestLostServerIsReported(t *testing.T) {
	s := bare(t, theme.None, 80, 24)
	s.shows("Looking…")
	gone := &core.Snapshot{Taken: noon}
	s.show(gone)
	s.shows("No agents yet.")
	s.show(fixture())
	s.press("g")
	s.show(gone)
	s.shows("The terminal server has ended.")
	s.show(gone)
	s.shows("The terminal server has ended.")
	s.press("n")
	s.shows("New session")
	s.press("esc", "?")
	s.shows("explain the keys")
	s.press("q")
	s.show(fixture())
	s.shows("━ ● api.1")
}

func TestAnotherPaneIsShownFromItsBottom(t *testing.T) {
	s := newHarness(t, theme.None, 80, 10)
	s.press(" ", "pgup", "pgup")
	s.shows("✻ Claude Code")
	s.press("]")
	s.hides("✻ Claude Code")
	s.shows("auto mode on")
}

func TestLargeDisplayHidesNothing(t *testing.T) {
	s := newHarness(t, theme.None, 80, 10)
	s.press(" ", "pgup")
	s.shows("below")
	s.resize(80, 40)
	s.hides("below")
	s.shows("auto mode on")
}

func TestAgesChangeWithTheMinute(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.shows("working   3m")
	s.model.Update(effect.Ticked{Now: noon.Add(2 * time.Minute), Every: time.Minute})
	s.shows("working   5m")
	s.shows("12:02")
}

func TestEndOfFramesEndsDashboard(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	cmd := s.model.Update(effect.Ended{Err: refusal})
	if _, quits := cmd().(tea.QuitMsg); !quits || !errors.Is(s.model.failed, refusal) {
		t.Errorf("it goes on, with %v", s.model.failed)
	}
}

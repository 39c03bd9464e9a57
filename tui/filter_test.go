package tui

import (
	"testing"

	"cupola/theme"
	"cupola/tui/screen/history"
)

func TestAFilterOfAgentsHasFieldsAndNearMisses(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.press("/")
	s.write("state:waiting\n")
	s.shows("/state:waiting")
	rows := s.model.choice.Rows(s.model.world.Snapshot)
	for _, row := range rows {
		if row.Pane != nil && row.Pane.Status.State != "waiting" {
			t.Errorf("%s is %s", row.Pane.Address(), row.Pane.Status.State)
		}
	}
	if len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
	s = newHarness(t, theme.None, 100, 30)
	s.press("/")
	s.write("state:wating\n")
	s.shows("Did you mean state:waiting?")
}

func TestAFilterIsKeptForItsScreen(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.press("7")
	answer[history.Question](s, recalled())
	s.press("/")
	s.write("!none\n")
	s.shows("with !none")
	s.press("1")
	s.press("7")
	s.shows("with !none")
	s.press("esc")
	s.press("1")
	s.press("7")
	if shown, is := s.model.top().(filtering); !is || shown.Shows() != "" {
		t.Error("a filter that was removed is back")
	}
}

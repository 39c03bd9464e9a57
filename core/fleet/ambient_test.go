package fleet

import (
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
)

func TestAUserPaneRestsAtItsPromptAndWorksWhileACommandRuns(t *testing.T) {
	th := open(t, tmux.Auto)
	th.tmux.Run("new-session", "-d", "-s", "own", "-x", "80", "-y", "24", "--", "sh", "-i")
	th.tmux.Run("new-window", "-d", "-t", "=own:", "--", "sh", "-c", "sleep 1000; true")
	th.tmux.Run("new-window", "-d", "-t", "=own:", "--", "sleep", "1000")
	states := func(want ...core.State) {
		t.Helper()
		th.until(t, func(s *core.Snapshot) bool {
			panes := s.Panes()
			for i, state := range want {
				if len(panes) != len(want) || panes[i].Status.State != state {
					return false
				}
			}
			return true
		})
	}
	states(core.Idle, core.Working, core.Working)
	th.tmux.Run("send-keys", "-t", "=own:0.0", "sleep 1000", "Enter")
	states(core.Working, core.Working, core.Working)
	th.tmux.Run("send-keys", "-t", "=own:0.0", "C-c")
	states(core.Idle, core.Working, core.Working)
}

// What a program shows of which nothing is known is little believed, and changes
// nothing about what is typed there.
func TestGeneralSignsAreLittleBelieved(t *testing.T) {
	pane := row("$1", "%1", "mine", engine.TagKind, "forgotten")
	p := &puppet{
		listing: engine.Listing{Taken: noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}},
		screens: map[core.PaneID][]string{"%1": {"Proceed? (y/n)", "", ""}},
	}
	f := staged(t, p)
	snapshot, err := f.Snapshot(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	got := snapshot.Panes()[0]
	if s := got.Status; s.State != core.Waiting || s.Confidence > 0.6 {
		t.Errorf("status = %+v", s)
	}
	if kind := f.kindOf(got); kind != nil {
		t.Errorf("it is typed into as %s", kind.ID)
	}
}

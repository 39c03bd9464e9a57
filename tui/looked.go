package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
)

// lookFor is how long an agent that is done must be selected, with its screen on the display, to have been looked at.
const lookFor = 2 * time.Second

// looking is the agent that is being looked at. The zero value is none.
type looking struct {
	pane core.PaneID
	// ended is when its turn ended, nth the number of the look.
	ended time.Time
	nth   int
}

// lookedFor says that the time of a look has passed.
type lookedFor struct{ nth int }

// follow starts the time of a look at the selected agent, if it is done and on the display.
func (l *looking) follow(m *model) tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil || pane.Status.Shown() != core.Done || !slices.Contains(m.visible, pane.ID) {
		l.pane = ""
		return nil
	}
	if l.pane == pane.ID && l.ended.Equal(pane.Status.Since) {
		return nil
	}
	*l = looking{pane.ID, pane.Status.Since, l.nth + 1}
	nth := l.nth
	return tea.Tick(lookFor, func(time.Time) tea.Msg { return lookedFor{nth} })
}

// looked notes that the selected agent has been looked at, if the time of that look has passed.
func (l *looking) looked(m *model, passed lookedFor) tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	if passed.nth != l.nth || pane == nil || pane.ID != l.pane || pane.Status.Shown() != core.Done {
		return nil
	}
	return m.act.Do(intent.Looked{Pane: pane.Seen()})
}

package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/screen/explain"
)

// inquiry is what was asked last about a pane, and as of which picture.
type inquiry struct {
	pane     core.PaneID
	revision core.Revision
}

// inquire asks why the selected pane is in its state while that is what is
// shown: once for each pane and picture.
func (m *model) inquire() tea.Cmd {
	if _, shown := m.stack[len(m.stack)-1].(*explain.Screen); !shown || m.world.Snapshot == nil {
		m.asked = inquiry{}
		return nil
	}
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil {
		return nil
	}
	now := inquiry{pane: pane.ID, revision: m.world.Snapshot.Revision}
	if now == m.asked {
		return nil
	}
	m.asked = now
	return m.act.Do(intent.Explain{Pane: pane.ID})
}

package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/screen/explain"
)

// explainRequest is the pane of the last explain, and its snapshot.
type explainRequest struct {
	pane     core.PaneID
	revision core.Revision
}

// explain asks why the selected pane is in its state while the explain screen is open: once
// for each pane and snapshot.
func (m *model) explain() tea.Cmd {
	if _, shown := m.stack[len(m.stack)-1].(*explain.Screen); !shown || m.world.Snapshot == nil {
		m.explained = explainRequest{}
		return nil
	}
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil {
		return nil
	}
	now := explainRequest{pane: pane.ID, revision: m.world.Snapshot.Revision}
	if now == m.explained {
		return nil
	}
	m.explained = now
	return m.act.Do(intent.Explain{Pane: pane.ID})
}

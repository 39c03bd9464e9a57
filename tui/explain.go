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

// screensPart asks for the explanation and the history of the pane that is shown.
type screensPart struct {
	model     *model
	explained explainRequest
}

// explain asks why the selected pane is in its state while the explain screen is open: once
// for each pane and snapshot.
func (p *screensPart) explain() tea.Cmd {
	if _, shown := p.model.stack[len(p.model.stack)-1].(*explain.Screen); !shown || p.model.world.Snapshot == nil {
		p.explained = explainRequest{}
		return nil
	}
	pane := p.model.choice.Shown(p.model.world.Snapshot)
	if pane == nil {
		return nil
	}
	now := explainRequest{pane: pane.ID, revision: p.model.world.Snapshot.Revision}
	if now == p.explained {
		return nil
	}
	p.explained = now
	return p.model.act.Do(intent.Explain{Pane: pane.ID})
}

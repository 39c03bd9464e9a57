package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/past"
)

// showPast opens what the selected pane has shown, and asks for it.
func (m *model) showPast() tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil {
		m.setStatus(theme.Warn, nothing)
		return nil
	}
	target := screen.TargetOfPane(pane)
	if m.world.Past.Pane != pane.ID {
		m.world.Past = screen.Past{}
	}
	m.open(past.New(target))
	return m.act.Do(intent.ReadPast{Target: target})
}

// takePast stores what a pane has shown.
func (m *model) takePast(msg effect.PastRead) {
	m.world.Past = msg.Past
	if msg.Err != nil {
		m.world.Past.Wrong = core.AsError(msg.Err).Error()
	}
}

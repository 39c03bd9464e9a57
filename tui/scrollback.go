package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/scrollback"
)

// showScrollback opens what the selected pane has shown, and asks for it.
func (m *model) showScrollback() tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil {
		m.setStatus(theme.Warn, nothing)
		return nil
	}
	target := screen.TargetOfPane(pane)
	if m.world.Scrollback.Pane != pane.ID {
		m.world.Scrollback = screen.Scrollback{}
	}
	m.open(scrollback.New(target))
	return m.act.Do(intent.ReadScrollback{Target: target})
}

// takeScrollback stores what a pane has shown.
func (m *model) takeScrollback(msg effect.ScrollbackRead) {
	m.world.Scrollback = msg.Scrollback
	if msg.Err != nil {
		m.world.Scrollback.Wrong = core.AsError(msg.Err).Error()
	}
}

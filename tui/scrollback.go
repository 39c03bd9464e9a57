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
func (p *screensPart) showScrollback() tea.Cmd {
	pane := p.model.choice.Shown(p.model.world.Snapshot)
	if pane == nil {
		p.model.setStatus(theme.Warn, nothing)
		return nil
	}
	target := screen.TargetOfPane(pane)
	if p.model.world.Scrollback.Pane != pane.ID {
		p.model.world.Scrollback = screen.Scrollback{}
	}
	p.model.open(scrollback.New(target))
	return p.model.act.Do(intent.ReadScrollback{Target: target})
}

// takeScrollback stores what a pane has shown.
func (p *screensPart) takeScrollback(msg effect.ScrollbackRead) {
	p.model.world.Scrollback = msg.Scrollback
	if msg.Err != nil {
		p.model.world.Scrollback.Wrong = core.AsError(msg.Err).Error()
	}
}

package tui

import (
	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/screen/form"
)

// openQuestion opens the form for an agent's dialog, unless something else is open or
// selected by now.
func (m *model) openQuestion(msg effect.Questioned) {
	if msg.Err != nil {
		m.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	pane := m.choice.Shown(m.world.Snapshot)
	if m.takesText() || pane == nil || pane.ID != msg.Intent.Target.Pane {
		return
	}
	m.form = form.Decide(form.Decision{
		Target: msg.Intent.Target, Reason: msg.Reason, Asked: msg.Asked, Options: msg.Options,
	})
}

// closeQuestion closes the form of a question that is no longer open.
func (m *model) closeQuestion() {
	if m.form == nil || m.form.Deciding() == "" || m.world.Snapshot == nil {
		return
	}
	pane := m.world.Snapshot.Pane(m.form.Deciding())
	if pane != nil && pane.Status.State == core.Waiting {
		return
	}
	m.form = nil
	m.setStatus(theme.Warn, "it waits no longer")
}

package tui

import (
	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/screen/form"
)

// openQuestion opens the form for an agent's dialog, unless something else is open or
// selected by now.
func (p *formsPart) openQuestion(msg effect.Questioned) {
	if msg.Err != nil {
		p.model.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	pane := p.model.choice.Shown(p.model.world.Snapshot)
	if p.model.takesText() || pane == nil || pane.ID != msg.Intent.Target.Pane {
		return
	}
	p.model.form = form.Decide(form.Decision{
		Target: msg.Intent.Target, Reason: msg.Reason, Asked: msg.Asked, Runs: msg.Runs, Options: msg.Options,
	})
}

// closeQuestion closes the form of a question that is no longer open.
func (p *formsPart) closeQuestion() {
	if p.model.form == nil || p.model.form.Deciding() == "" || p.model.world.Snapshot == nil {
		return
	}
	pane := p.model.world.Snapshot.Pane(p.model.form.Deciding())
	if pane != nil && pane.Status.State == core.Waiting {
		return
	}
	p.model.form = nil
	p.model.setStatus(theme.Warn, "it waits no longer")
}

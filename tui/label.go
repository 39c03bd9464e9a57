package tui

import (
	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// askLabel opens the form of the label of an agent, or of all of a session.
func (p *formsPart) askLabel(session *core.Session, pane *core.Pane) {
	switch {
	case pane == nil && len(session.Agents()) == 0:
		p.model.setStatus(theme.Warn, refuseNobody(session))
	case pane == nil:
		p.model.form = form.Label(p.identified(screen.TargetOfSession(session)), session.Name, "")
	case pane.IsUser():
		p.model.setStatus(theme.Warn, pane.Address()+" holds no agent")
	default:
		p.model.form = form.Label(p.identified(screen.TargetOfPane(pane)), pane.Address(), pane.Agent.Label)
	}
}

// identified is a target as it is now, alone.
func (p *formsPart) identified(target intent.Target) []intent.Target {
	return []intent.Target{screen.Identified(p.model.world.Snapshot, target)}
}

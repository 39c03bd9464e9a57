package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/verb/sessions"
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

// turnAtLimit changes what an agent, or all of a session, does at limits.
func (p *formsPart) turnAtLimit() tea.Cmd {
	session, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	var agents []*core.Pane
	switch {
	case session == nil:
		p.model.setStatus(theme.Warn, nothing)
		return nil
	case pane == nil:
		agents = session.Agents()
	case pane.IsAgent():
		agents = []*core.Pane{pane}
	}
	if len(agents) == 0 {
		p.model.setStatus(theme.Warn, "no agent is selected")
		return nil
	}
	next := core.StopAtLimit
	if slices.ContainsFunc(agents, func(one *core.Pane) bool { return !one.Agent.Continues.Wanted }) {
		next = core.ContinueAtLimit
	}
	return p.model.perform(intent.Act{Input: sessions.LabelIn{OnLimit: string(next)}, At: p.selected()})
}

// identified is a target as it is now, alone.
func (p *formsPart) identified(target intent.Target) []intent.Target {
	return []intent.Target{screen.Identified(p.model.world.Snapshot, target)}
}

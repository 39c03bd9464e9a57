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
		p.model.setStatus(theme.Warn, refuseWithoutTarget(session))
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
	agents := p.selectedAgents()
	if len(agents) == 0 {
		return nil
	}
	next := core.StopAtLimit
	if slices.ContainsFunc(agents, func(one *core.Pane) bool { return !one.Agent.Continues.Wanted }) {
		next = core.ContinueAtLimit
	}
	return p.model.perform(intent.Act{Input: sessions.LabelIn{OnLimit: string(next)}, At: p.selected()})
}

// selectedAgents are the selected agent or all of the session; none, which it says, where there is none.
func (p *formsPart) selectedAgents() []*core.Pane {
	session, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	switch {
	case session == nil:
		p.model.setStatus(theme.Warn, nothing)
		return nil
	case pane == nil && len(session.Agents()) > 0:
		return session.Agents()
	case pane != nil && pane.IsAgent():
		return []*core.Pane{pane}
	}
	p.model.setStatus(theme.Warn, "no agent is selected")
	return nil
}

// calledAgents are the marked agents, or else selectedAgents, and their name in a sentence.
func (p *formsPart) calledAgents() (agents []*core.Pane, name string) {
	agents = p.model.choice.Marks.Among(p.model.world.Snapshot)
	if len(agents) == 0 {
		agents = p.selectedAgents()
	}
	if len(agents) == 1 {
		return agents, agents[0].Address()
	}
	return agents, them(agents)
}

// pin pins agents, or unpins them where all are pinned.
func (p *formsPart) pin() tea.Cmd {
	agents, _ := p.calledAgents()
	if len(agents) == 0 {
		return nil
	}
	pinned := !slices.ContainsFunc(agents, func(one *core.Pane) bool { return !one.Agent.Pinned })
	return p.model.perform(form.Pin(p.model.targets(agents), !pinned))
}

// askSnooze asks until when agents are snoozed.
func (p *formsPart) askSnooze() {
	agents, name := p.calledAgents()
	if len(agents) == 0 {
		return
	}
	snoozed := slices.ContainsFunc(agents, (*core.Pane).IsSnoozed)
	p.model.form = form.Snooze(p.model.targets(agents), name, snoozed)
}

// fork starts one more agent whose conversation begins where the selected one's is.
func (p *formsPart) fork() tea.Cmd {
	session, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	if pane == nil || !pane.IsAgent() {
		p.model.setStatus(theme.Warn, "no agent is selected")
		return nil
	}
	return p.model.perform(intent.Act{
		Input: sessions.AddIn{Session: session.Name, Fork: pane.Address()}, What: session.Name,
	})
}

// identified is a target as it is now, alone.
func (p *formsPart) identified(target intent.Target) []intent.Target {
	return []intent.Target{screen.Identified(p.model.world.Snapshot, target)}
}

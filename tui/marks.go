package tui

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// marksPart acts on the agents that are marked.
type marksPart struct {
	model *model
}

// mark marks agents, or takes their marks away.
func (p *marksPart) mark(w intent.Mark) {
	snap := p.model.world.Snapshot
	session, pane := p.model.choice.Chosen(snap)
	switch {
	case session == nil:
		p.model.setStatus(theme.Warn, nothing)
	case w.All:
		p.model.choice.Marks.Toggle(agentsOf(p.model.choice.Rows(snap))...)
	case w.Range:
		rows := p.model.choice.Rows(snap)
		p.model.choice.Marks.Range(rows, p.model.choice.At(rows))
	case pane != nil && pane.IsUser():
		p.model.setStatus(theme.Warn, pane.Address()+" holds no agent")
	case pane != nil && !pane.IsAgent():
		p.model.setStatus(theme.Warn, pane.Address()+" holds a command, no agent; s types to it alone")
	case pane == nil && len(session.Agents()) == 0:
		p.model.setStatus(theme.Warn, refuseNobody(session))
	default:
		if pane != nil {
			p.model.choice.Marks.Toggle(pane)
		} else {
			p.model.choice.Marks.Toggle(session.Agents()...)
		}
		p.model.top().Handle(intent.Move{By: 1})
	}
}

// agentsOf are the agents among rows.
func agentsOf(rows []screen.Row) []*core.Pane {
	var panes []*core.Pane
	for _, row := range rows {
		if row.Pane != nil {
			panes = append(panes, row.Pane)
		}
	}
	return core.AddresseesOf(panes).Agents
}

// ask opens the form of an act on all marked agents; it reports false if none is marked, or the act is of one.
func (p *marksPart) ask(wanted intent.Intent) bool {
	marked := p.model.choice.Marks.Among(p.model.world.Snapshot)
	if len(marked) == 0 {
		return false
	}
	switch w := wanted.(type) {
	case intent.AskSend:
		if w.All || w.Everyone {
			return false
		}
		const key = "marked"
		p.model.form = form.SendEach(p.model.targets(marked), ofMarked(marked), p.model.drafts.take(key),
			p.model.world.Offers.Prompts,
			func(text string) { p.model.drafts.keep(key, text) })
	case intent.AskAnswer:
		p.approve(marked)
	case intent.Interrupt:
		if w != (intent.Interrupt{}) {
			return false
		}
		p.model.form = form.Each("Interrupt "+them(marked)+"?", "interrupt them", addresses(marked), false,
			p.model.targets(marked),
			func(t intent.Target) intent.Intent { return intent.Interrupt{Target: t} })
	case intent.AskLabel:
		p.model.form = form.Label(p.model.targets(marked), them(marked), marked[0].Agent.Label)
	case intent.AskRestart:
		p.model.form = form.RestartEach(p.model.targets(marked), them(marked), addresses(marked))
	case intent.AskKill:
		p.model.form = form.Each("End "+them(marked)+"?", "end them", addresses(marked), true, p.model.targets(marked),
			func(t intent.Target) intent.Intent { return intent.Kill{Target: t} })
	default:
		return false
	}
	return true
}

// approve asks whether to approve what all marked agents ask, if that is the same.
func (p *marksPart) approve(marked []*core.Pane) {
	first := marked[0].Status
	for _, pane := range marked {
		s := pane.Status
		switch {
		case s.State != core.Waiting || s.Reason != core.ReasonApproval && s.Reason != core.ReasonPlan:
			p.model.setStatus(theme.Warn, pane.Address()+" waits for no approval; take its mark away first")
			return
		case s.Asks == "" || s.Asks != first.Asks || s.Reason != first.Reason:
			p.model.setStatus(theme.Warn, fmt.Sprintf("%s asks something else than %s; decide one after the other",
				pane.Address(), marked[0].Address()))
			return
		}
	}
	p.model.form = form.Each("Approve for "+them(marked)+"?", "approve", first.Asks+"\n"+addresses(marked), false,
		p.model.targets(marked), func(t intent.Target) intent.Intent {
			return intent.Answer{Target: t, Expect: first.Reason, Showing: first.Asks, Approve: true}
		})
}

// targets are panes as they are now.
func (m *model) targets(panes []*core.Pane) []intent.Target {
	var all []intent.Target
	for _, pane := range panes {
		all = append(all, screen.Identified(m.world.Snapshot, screen.TargetOfPane(pane)))
	}
	return all
}

func addresses(panes []*core.Pane) string {
	var all []string
	for _, pane := range panes {
		all = append(all, pane.Address())
	}
	return strings.Join(all, ", ")
}

// them names marked agents.
func them(panes []*core.Pane) string {
	if len(panes) == 1 {
		return panes[0].Address()
	}
	return fmt.Sprintf("%d marked agents", len(panes))
}

// ofMarked describes for a form who gets a prompt of all that are marked.
func ofMarked(panes []*core.Pane) form.Addressed {
	if len(panes) == 1 {
		return form.Addressed{To: them(panes)}
	}
	return addressed(them(panes), core.Addressees{Agents: panes})
}

package tui

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// mark marks agents, or removes their marks.
func mark(m *model, w intent.Mark) {
	snap := m.world.Snapshot
	session, pane := m.choice.Chosen(snap)
	switch {
	case session == nil:
		m.setStatus(theme.Warn, nothing)
	case w.All:
		m.choice.Marks.Toggle(agentsOf(m.choice.Rows(snap))...)
	case w.Range:
		rows := m.choice.Rows(snap)
		m.choice.Marks.Range(rows, m.choice.At(rows))
	case pane != nil && pane.IsUser():
		m.setStatus(theme.Warn, pane.Address()+" holds no agent")
	case pane != nil && !pane.IsAgent():
		m.setStatus(theme.Warn, pane.Address()+" holds a command, no agent; s types to it alone")
	case pane == nil && len(session.Agents()) == 0:
		m.setStatus(theme.Warn, refuseWithoutTarget(session))
	default:
		if pane != nil {
			m.choice.Marks.Toggle(pane)
		} else {
			m.choice.Marks.Toggle(session.Agents()...)
		}
		m.top().Handle(intent.Move{By: 1})
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

// askMarked opens the form of an act on all marked agents; it reports false if none is marked, or the act is of one.
func askMarked(m *model, wanted intent.Intent) bool {
	marked := m.choice.Marks.Among(m.world.Snapshot)
	if len(marked) == 0 {
		return false
	}
	if w, is := wanted.(intent.AskSend); is && (w.All || w.Everyone) {
		return false
	}
	_, carried := carry(markedRoutes(m, marked), wanted)
	return carried
}

// markedRoutes open the forms of what is done to marked agents together.
func markedRoutes(m *model, marked []*core.Pane) []route {
	targets, who, listed := m.targets(marked), them(marked), addresses(marked)
	return []route{
		opens(m, func(intent.AskSend) *form.Form {
			return form.Send(targets, ofMarked(marked), m.drafts.take(draftOfMarked), m.world.Offers().Prompts,
				func(text string) { m.drafts.keep(draftOfMarked, text) })
		}),
		does(func(intent.AskAnswer) { approveMarked(m, marked) }),
		opens(m, func(intent.Interrupt) *form.Form { return form.Interrupt(targets, who, "interrupt them", listed) }),
		opens(m, func(intent.AskLabel) *form.Form { return form.Label(targets, who, marked[0].Agent.Label) }),
		opens(m, func(intent.AskRestart) *form.Form { return form.Restart(targets, who, listed, m.world.Offers()) }),
		opens(m, func(intent.AskKill) *form.Form { return form.Kill(targets, who, "end them", listed) }),
	}
}

// approveMarked asks whether to approve what all marked agents ask, if that is the same.
func approveMarked(m *model, marked []*core.Pane) {
	first := marked[0].Status
	for _, pane := range marked {
		s := pane.Status
		switch {
		case s.State != core.Waiting || s.Reason != core.ReasonApproval && s.Reason != core.ReasonPlan:
			m.setStatus(theme.Warn, pane.Address()+" waits for no approval; take its mark away first")
			return
		case s.Asks == "" || s.Asks != first.Asks || s.Reason != first.Reason:
			m.setStatus(theme.Warn, fmt.Sprintf("%s asks something else than %s; decide one after the other",
				pane.Address(), marked[0].Address()))
			return
		}
	}
	m.form = form.Each("Approve for "+them(marked)+"?", "approve", first.Asks+"\n"+addresses(marked), false,
		m.targets(marked),
		agents.AnswerIn{Expect: string(first.Reason), Showing: first.Asks, Approve: true, All: len(marked) > 1})
}

// targets are panes as they are now.
func (m *model) targets(panes []*core.Pane) []intent.Target {
	return core.Map(panes, func(pane *core.Pane) intent.Target {
		return screen.Identified(m.world.Snapshot, screen.TargetOfPane(pane))
	})
}

func addresses(panes []*core.Pane) string {
	all := core.Map(panes, (*core.Pane).Address)
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

package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	saved "cupola/core/config/palette"
	"cupola/core/term/cells"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// dispatch passes an intent to the form or the screen on top, and what they return to
// handle.
func (m *model) dispatch(wanted intent.Intent) tea.Cmd {
	if m.form != nil {
		rest := m.form.Handle(wanted)
		if rest == nil {
			if live := m.form.Meanwhile(false); live != nil {
				return m.handle(live)
			}
			return nil
		}
		answered := m.form
		m.form = nil
		if (rest == intent.Back{}) {
			m.refusals.leave(answered)
			if left := answered.Meanwhile(true); left != nil {
				return m.handle(left)
			}
			return nil
		}
		m.refusals.accepted(answered, rest)
		return m.handle(rest)
	}
	if rest := m.top().Handle(wanted); rest != nil {
		return m.handle(rest)
	}
	return nil
}

// handle carries out the intents of the root, and passes acts to effect.
func (m *model) handle(wanted intent.Intent) tea.Cmd {
	if askMarked(m, wanted) {
		return nil
	}
	if cmd, carried := carry(m.routes, wanted); carried {
		return cmd
	}
	return m.perform(wanted)
}

// formsPart opens the forms that ask for what an act needs.
type formsPart struct {
	model *model
	// arranged is how the list was arranged before another order was asked for.
	arranged screen.Order
}

// askAgain opens the form of a prompt that was sent before, to the marked agents if there are some.
func (p *formsPart) askAgain(w intent.AskAgain) {
	if names := saved.Fields(w.Text); len(names) > 0 && !w.Filled {
		p.model.form = form.Fields(w, names)
		return
	}
	prompts := p.model.world.Offers().Prompts
	if marked := p.model.choice.Marks.Among(p.model.world.Snapshot); len(marked) > 0 {
		p.model.form = form.Send(p.model.targets(marked), ofMarked(marked), w.Text, prompts, func(string) {})
		return
	}
	p.model.form = form.Send([]intent.Target{w.Target}, p.who(w.Target), w.Text, prompts,
		func(text string) { p.model.drafts.keep(draftKey(p.model.world.Snapshot, w.Target), text) })
}

// goTo closes a list and selects what its selected row is about.
func (m *model) goTo(w intent.GoTo) {
	switch {
	case w == intent.GoTo{}:
		m.setStatus(theme.Warn, "it has no pane")
	case m.world.Snapshot == nil || !m.choose(intent.Target{Pane: w.Pane, Session: w.Session}):
		m.setStatus(theme.Warn, "what it is about is gone")
	default:
		m.back()
	}
}

const nothing = screen.NothingSelected

// restart opens the form that restarts an agent, or all of a session.
func (p *formsPart) restart(session *core.Session, pane *core.Pane) {
	switch {
	case pane != nil && pane.IsUser():
		p.model.setStatus(theme.Warn, pane.Address()+" holds no agent")
	case pane == nil && len(session.Agents()) == 0:
		p.model.setStatus(theme.Warn, refuseWithoutTarget(session))
	default:
		p.model.form = form.Restart(p.selected(), p.selected()[0].Address, describeRestart(session, pane),
			p.model.world.Offers())
	}
}

// selected is the selection as acts name it.
func (p *formsPart) selected() []intent.Target {
	return []intent.Target{p.model.choice.Target(p.model.world.Snapshot)}
}

// interrupt stops the turn of the selected agent, or after a question those of the selected session.
func (p *formsPart) interrupt() tea.Cmd {
	session, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	if session == nil {
		p.model.setStatus(theme.Warn, nothing)
		return nil
	}
	at := p.selected()
	if pane == nil && len(session.Agents()) > 1 {
		p.model.form = form.Interrupt(at, at[0].Address, "interrupt it",
			fmt.Sprintf("The turns of all its %d agents stop.", len(session.Agents())))
		return nil
	}
	return p.model.perform(intent.Act{Input: agents.InterruptIn{}, At: at})
}

// copyShown puts what the shown pane shows on the clipboard.
func (p *formsPart) copyShown() tea.Cmd {
	pane := p.model.choice.Shown(p.model.world.Snapshot)
	if pane == nil {
		p.model.setStatus(theme.Warn, nothing)
		return nil
	}
	shown, known := p.model.world.Screens[pane.ID]
	if !known {
		p.model.setStatus(theme.Warn, "what "+pane.Address()+" shows is not known yet")
		return nil
	}
	var text strings.Builder
	for _, line := range shown.Lines {
		text.WriteString(strings.TrimRight(cells.Strip(line), " ") + "\n")
	}
	return p.model.perform(intent.CopyText{Text: strings.TrimRight(text.String(), "\n") + "\n"})
}

// copyReply puts what the selected agent said last on the clipboard.
func (p *formsPart) copyReply(w intent.CopyReply) tea.Cmd {
	_, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	if pane == nil || !pane.IsAgent() {
		p.model.setStatus(theme.Warn, "select an agent to copy its reply")
		return nil
	}
	w.At = screen.Identified(p.model.world.Snapshot, screen.TargetOfPane(pane))
	return p.model.perform(w)
}

// askSend opens the form of a prompt for a pane, or for all agents of a session.
func (p *formsPart) askSend(session *core.Session, pane *core.Pane) {
	target := screen.TargetOfSession(session)
	switch {
	case pane != nil:
		target = screen.TargetOfPane(pane)
	case len(session.Agents()) == 0:
		p.model.setStatus(theme.Warn, refuseWithoutTarget(session))
		return
	}
	key, target := draftKey(p.model.world.Snapshot, target), screen.Identified(p.model.world.Snapshot, target)
	p.model.form = form.Send([]intent.Target{target}, p.who(target), p.model.drafts.take(key),
		p.model.world.Offers().Prompts, func(text string) { p.model.drafts.keep(key, text) })
}

// who describes who gets a prompt for a target: a pane, or the agents of a session.
func (p *formsPart) who(target intent.Target) form.Addressed {
	snap := p.model.world.Snapshot
	if pane := snap.Pane(target.Pane); pane != nil {
		to := pane.Address()
		if !pane.IsUser() {
			to += ", " + pane.Agent.Name
		}
		return form.Addressed{To: to}
	}
	session := snap.Session(target.Session)
	if session == nil || session.Name != target.Address {
		return form.Addressed{To: target.Address}
	}
	to := session.Name
	if n := len(session.Agents()); n > 1 {
		to = fmt.Sprintf("all %d agents of %s", n, session.Name)
	}
	return addressed(to, core.AddresseesOf(session.All()))
}

// askBroadcast opens the form of a prompt for the agents of all sessions.
func (p *formsPart) askBroadcast() {
	who := core.AddresseesOf(p.model.world.Snapshot.Panes())
	if len(who.Agents) == 0 {
		p.model.setStatus(theme.Warn, "there is no agent; s on a pane types there")
		return
	}
	sessions := map[string]bool{}
	for _, pane := range who.Agents {
		sessions[pane.Session] = true
	}
	to := "all " + screen.Count(len(who.Agents), "agent") + " of " + screen.Count(len(sessions), "session")
	p.model.form = form.Send(p.model.targets(who.Agents), addressed(to, who), p.model.drafts.take(draftOfAll),
		p.model.world.Offers().Prompts,
		func(text string) { p.model.drafts.keep(draftOfAll, text) })
}

// question reads the dialog of the selected agent, for the form that answers it.
func (p *formsPart) question() tea.Cmd {
	pane := p.model.choice.Shown(p.model.world.Snapshot)
	switch {
	case pane == nil:
		p.model.setStatus(theme.Warn, nothing)
		return nil
	case pane.Status.State != core.Waiting:
		p.model.setStatus(theme.Warn, pane.Address()+" waits for nothing; w finds who does")
		return nil
	}
	return p.model.act.Do(intent.Question{Target: screen.TargetOfPane(pane)})
}

// describeRestart describes an agent, or a session, that is about to be restarted.
func describeRestart(session *core.Session, pane *core.Pane) string {
	if pane == nil {
		return fmt.Sprintf("All its %d agents end what they do and start again.", len(session.Agents()))
	}
	text := pane.Agent.Name + " " + screen.StateWord(pane) + "."
	if pane.Status.State == core.Working {
		text += " Its turn is lost."
	}
	return text
}

// describeEnd describes a pane or session that is about to end.
func describeEnd(session *core.Session, pane *core.Pane) string {
	switch {
	case pane != nil && pane.IsAgent():
		return fmt.Sprintf("%s (%s) is %s.", pane.Agent.Name, pane.Agent.Kind, pane.Status.State)
	case pane != nil:
		return "It runs " + pane.Process.Command + "."
	}
	agents, working := session.Agents(), 0
	for _, agent := range agents {
		if agent.Status.State == core.Working {
			working++
		}
	}
	if working == 0 {
		return fmt.Sprintf("Panes that end: %d. Agents: %d, none works.", len(session.Panes), len(agents))
	}
	return fmt.Sprintf("Panes that end: %d. Agents: %d, working: %d.", len(session.Panes), len(agents), working)
}

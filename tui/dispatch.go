package tui

import (
	"cmp"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/help"
	"cupola/tui/screen/peek"
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
	switch w := wanted.(type) {
	case intent.Quit:
		return tea.Quit
	case intent.Refuse:
		m.setStatus(theme.Warn, w.Why)
	case intent.Chosen:
		return m.dispatch(w.Means)
	case intent.Choose:
		if !m.choose(w.Target) {
			m.setStatus(theme.Warn, w.Target.Address+" is gone")
		}
	case intent.Find:
		m.top().Handle(w)
	case intent.Show:
		m.show(w.Filter)
	case intent.NextSession:
		m.choice.Turn(m.world.Snapshot, w.By)
	case intent.NextNeedsYou:
		if !m.choice.NextNeedsYou(m.world.Snapshot) {
			m.setStatus(theme.Good, "no other agent needs you")
		}
	case intent.Mark:
		mark(m, w)
	case intent.TypeInto:
		m.typing.start()
	case intent.Acknowledge:
		m.undos.acknowledge()
	case intent.Undo:
		return m.undos.undo()
	case intent.Scroll: // of a screen that cannot be
	default:
		return m.handleScreens(wanted)
	}
	return nil
}

// handleScreens opens and closes screens, and passes other intents on.
func (m *model) handleScreens(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.Back:
		m.back()
	case intent.GoTo:
		m.goTo(w)
	case intent.Open:
		return m.open(w)
	case intent.Help:
		return m.open(intent.Open{Screen: help.Entry.Name})
	case intent.RunCommand:
		return m.runCommand(w)
	case intent.Peek:
		return m.open(intent.Open{Screen: peek.Entry.Name})
	case intent.ToggleGrid:
		return m.open(intent.Open{Screen: grid.Entry.Name, Selected: !w.All})
	default:
		return m.forms.handle(wanted)
	}
	return nil
}

// formsPart opens the forms that ask for what an act needs.
type formsPart struct {
	model *model
	// arranged is how the list was arranged before another order was asked for.
	arranged screen.Order
	// relay and crew are those that were not started.
	relay intent.Relay
	crew  intent.StartCrew
}

// handle opens forms, and passes acts on.
func (p *formsPart) handle(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.AskAgain:
		if marked := p.model.choice.Marks.Among(p.model.world.Snapshot); len(marked) > 0 {
			p.model.form = form.SendEach(p.model.targets(marked), ofMarked(marked), w.Text,
				p.model.world.Offers().Prompts, func(string) {})
			return nil
		}
		p.model.form = form.Send(w.Target, p.who(w.Target), w.Text, p.model.world.Offers().Prompts,
			func(text string) { p.model.drafts.keep(draftKey(p.model.world.Snapshot, w.Target), text) })
	case intent.AskText:
		askInWords(p.model)
	case intent.AskCommit:
		p.model.form = p.model.refusals.open(form.Commit(w))
	case intent.AskDiscard:
		p.model.form = form.Discard(w)
	case intent.AskMergeTree:
		p.model.form = form.MergeTree(w)
	case intent.AskTheme:
		p.model.looks.ask()
	case intent.AskArrange:
		p.arranged = p.model.choice.Order
		p.model.form = form.Arrange(p.model.choice.Order)
	case intent.Arrange:
		return p.model.arrange(w)
	case intent.AskSetting:
		p.model.form = p.model.refusals.open(form.Setting(w))
	case intent.UseTheme:
		return p.model.looks.use(w)
	case intent.OpenPalette:
		p.model.form = form.Palette(p.model.palette.entries(&p.model.world,
			p.model.choice.Target(p.model.world.Snapshot), p.model.world.Keys.Of(p.model.top().Scope())))
	case intent.AskCommand:
		p.model.form = form.Command(w.Line)
	case intent.AskFind:
		p.model.form = form.Find(w.Text)
	case intent.AskAnswer:
		return p.question()
	case intent.AskFilter:
		if w.What == "" {
			w.Filter, w.What = p.model.choice.Filter, "session, agent, kind or state"
		}
		p.model.form = form.Filter(w.Filter, w.What)
	case intent.AskSpawn:
		w.Dir = cmp.Or(w.Dir, p.model.dir)
		p.model.form = p.model.refusals.open(form.Spawn(w, p.model.world.Offers()))
	case intent.AskCrew:
		p.model.form = form.Crew(p.model.world.Offers().Kinds, p.crew,
			func(draft intent.StartCrew) { p.crew = draft })
	case intent.AskSay:
		p.model.form = p.model.refusals.open(form.Say(w))
	case intent.AskStop:
		p.model.form = form.Stop(w.ID, w.What)
	case intent.AskRun:
		return p.plan(intent.PlanRun{Dir: w.Dir, Name: w.Name})
	case intent.PlanRun:
		return p.plan(w)
	case intent.AskStopRun:
		p.model.form = form.StopRun(w)
	case intent.AskFinish:
		p.model.form = form.Finish(w)
	case intent.AskRelay:
		return p.model.act.Do(intent.Backends{})
	case intent.AskCancel:
		p.model.form = form.Cancel(w.ID, w.What)
	case intent.AskSend, intent.AskAdd, intent.AskKill, intent.AskRename, intent.AskRestart, intent.AskCheckpoint,
		intent.AskLabel:
		p.ask(wanted)
	default:
		return p.model.perform(wanted)
	}
	return nil
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

// ask opens a form about the selection.
func (p *formsPart) ask(wanted intent.Intent) {
	session, pane := p.model.choice.Chosen(p.model.world.Snapshot)
	if session == nil {
		p.model.setStatus(theme.Warn, nothing)
		return
	}
	switch w := wanted.(type) {
	case intent.AskSend:
		if w.Everyone {
			p.askBroadcast()
			return
		}
		if w.All {
			pane = nil
		}
		p.askSend(session, pane)
	case intent.AskLabel:
		p.askLabel(session, pane)
	case intent.AskCheckpoint:
		p.model.form = form.Checkpoint(session.Name)
	case intent.AskAdd:
		p.model.form = p.model.refusals.open(form.Add(session.Name, p.model.world.Offers()))
	case intent.AskRename:
		p.model.form = p.model.refusals.open(form.Rename(session.Name))
	case intent.AskRestart:
		switch {
		case pane != nil && pane.IsUser():
			p.model.setStatus(theme.Warn, pane.Address()+" holds no agent")
			return
		case pane == nil && len(session.Agents()) == 0:
			p.model.setStatus(theme.Warn, refuseNobody(session))
			return
		}
		p.model.form = form.Restart(p.model.choice.Target(p.model.world.Snapshot), describeRestart(session, pane))
	case intent.AskKill:
		p.model.form = form.Kill(p.model.choice.Target(p.model.world.Snapshot), describeEnd(session, pane))
	}
}

// askSend opens the form of a prompt for a pane, or for all agents of a session.
func (p *formsPart) askSend(session *core.Session, pane *core.Pane) {
	target := screen.TargetOfSession(session)
	switch {
	case pane != nil:
		target = screen.TargetOfPane(pane)
	case len(session.Agents()) == 0:
		p.model.setStatus(theme.Warn, refuseNobody(session))
		return
	}
	key, target := draftKey(p.model.world.Snapshot, target), screen.Identified(p.model.world.Snapshot, target)
	p.model.form = form.Send(target, p.who(target), p.model.drafts.take(key), p.model.world.Offers().Prompts,
		func(text string) { p.model.drafts.keep(key, text) })
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
	const key = "all sessions"
	to := "all " + screen.Count(len(who.Agents), "agent") + " of " + screen.Count(len(sessions), "session")
	p.model.form = form.SendEach(p.model.targets(who.Agents), addressed(to, who), p.model.drafts.take(key),
		p.model.world.Offers().Prompts,
		func(text string) { p.model.drafts.keep(key, text) })
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

package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// undoing takes the last act back: acts on record, or one within the dashboard. The zero value is no act.
type undoing struct {
	acts []intent.Undo
	back func()
	said string
	// refused says why the last act cannot be taken back.
	refused string
}

// undoPart takes acts back.
type undoPart struct {
	root interface {
		setStatus(token theme.Token, text string)
		perform(wanted intent.Intent) tea.Cmd
		openForm(f *form.Form)
	}
	last undoing
}

// done says what an act did, and remembers how to take it back. It returns the next act of an undo.
func (p *undoPart) done(msg effect.Done) tea.Cmd {
	if out, is := msg.Answer.(checkpoints.UndoOut); is && out.DryRun && len(out.Acts) > 0 {
		row := &out.Acts[0]
		return p.start(intent.Undo{ID: row.ID, Did: row.Did, Back: row.Back, Asks: row.Asks})
	}
	p.last = undoing{refused: lasting(msg.Intent)}
	for i := range msg.Undo {
		one := &msg.Undo[i]
		p.last.acts = append(p.last.acts, intent.Undo{ID: one.ID, Did: one.Did, Back: one.Back, Asks: one.Asks})
	}
	if len(p.last.acts) > 0 && msg.Said != "" {
		msg.Said += "; u undoes it"
	}
	p.root.setStatus(theme.Good, msg.Said)
	return nil
}

// lasting says why an act cannot be taken back; empty for one that may be.
func lasting(wanted intent.Intent) string {
	for _, act := range intent.ActsOf(wanted) {
		switch act.Input.(type) {
		case agents.AnswerIn:
			return "an answer cannot be taken back"
		case agents.SendIn, agents.BroadcastIn:
			return "a prompt that was sent cannot be taken back"
		case sessions.RestartIn:
			return "a restart cannot be taken back"
		case checkpoints.UndoIn:
		default:
			return "what was done last cannot be taken back"
		}
	}
	return ""
}

// undo takes an act back: one that is named, or the last one.
func (p *undoPart) undo(named intent.Undo) tea.Cmd {
	if named.ID != "" {
		return p.start(named)
	}
	last := p.last
	p.last = undoing{}
	switch {
	case len(last.acts) > 0:
		return p.start(last.acts...)
	case last.back != nil:
		last.back()
		p.root.setStatus(theme.Good, last.said)
		return nil
	case last.refused != "":
		p.root.setStatus(theme.Warn, last.refused+"; u again undoes what was done before")
		return nil
	}
	look := checkpoints.UndoIn{Preview: registry.Preview{DryRun: true}}
	return p.root.perform(intent.Act{Input: look, What: "the last act"})
}

// start takes acts back, after a question where one of them asks.
func (p *undoPart) start(acts ...intent.Undo) tea.Cmd {
	if slices.ContainsFunc(acts, func(u intent.Undo) bool { return u.Asks }) {
		p.root.openForm(form.Undo(acts))
		return nil
	}
	return p.root.perform(form.Undoing(acts))
}

// acknowledge takes the selected agent off the list of those that need the user, and goes to the next of them.
func (m *model) acknowledge() tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	switch {
	case pane == nil:
		m.setStatus(theme.Warn, nothing)
		return nil
	case pane.Status.Shown() == core.Done:
		m.setStatus(theme.Good, pane.Address()+" was looked at")
		seen := pane.Seen()
		m.choice.NextCalling(m.world.Snapshot)
		return m.act.Do(intent.Looked{Pane: seen})
	case !pane.IsAgent() || !pane.NeedsUser() || m.choice.Seen.Has(pane):
		m.setStatus(theme.Dim, pane.Address()+" does not need you")
		return nil
	}
	m.choice.Seen.Add(pane)
	id, address := pane.ID, pane.Address()
	m.undos.last = undoing{back: func() { m.choice.Seen.Remove(id) }, said: address + " is on the list again"}
	m.setStatus(theme.Good, address+" is off the list until something new happens; u undoes it")
	m.choice.NextCalling(m.world.Snapshot)
	return nil
}

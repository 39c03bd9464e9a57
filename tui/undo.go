package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

// undoing takes the last act back: by another act, or within the dashboard. The zero value undoes nothing.
type undoing struct {
	act  intent.Intent
	back func()
	said string
}

// undoPart takes the last act back.
type undoPart struct {
	root interface {
		setStatus(token theme.Token, text string)
		perform(wanted intent.Intent) tea.Cmd
	}
	last undoing
}

// done says what an act did, and how to take it back where that is possible.
func (p *undoPart) done(msg effect.Done) {
	p.last = undoing{act: opposite(msg)}
	if p.last.act != nil && msg.Said != "" {
		msg.Said += "; u undoes it"
	}
	p.root.setStatus(theme.Good, msg.Said)
}

// opposite is the act that takes another one back, as the answer of its verb says; nil if none does.
func opposite(did effect.Done) intent.Intent {
	if own, is := did.Answer.(interface{ Back() any }); is {
		if act, acted := did.Intent.(intent.Act); acted {
			if input := own.Back(); input != nil {
				return intent.Act{Input: input, What: act.About()}
			}
		}
	}
	if w, is := did.Intent.(intent.Stage); is && w.Path != "" {
		w.Undo = !w.Undo
		return w
	}
	return nil
}

// undo takes the last act back.
func (p *undoPart) undo() tea.Cmd {
	last := p.last
	p.last = undoing{}
	switch {
	case last.act != nil:
		return p.root.perform(last.act)
	case last.back != nil:
		last.back()
		p.root.setStatus(theme.Good, last.said)
	default:
		p.root.setStatus(theme.Dim, "there is nothing to undo")
	}
	return nil
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

package tui

import (
	tea "github.com/charmbracelet/bubbletea"

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

// done says what an act did, and how to take it back where that is possible.
func (m *model) done(msg effect.Done) {
	m.undoes = undoing{act: opposite(msg.Intent)}
	if m.undoes.act != nil && msg.Said != "" {
		msg.Said += "; u undoes it"
	}
	m.setStatus(theme.Good, msg.Said)
}

// opposite is the act that takes another one back; nil if none does.
func opposite(did intent.Intent) intent.Intent {
	switch w := did.(type) {
	case intent.Rename:
		return intent.Rename{From: w.To, To: w.From}
	case intent.Label:
		if w.Target.Pane != "" {
			return intent.Label{Target: w.Target, Label: w.Before, Before: w.Label}
		}
	case intent.Stage:
		if w.Path != "" {
			w.Undo = !w.Undo
			return w
		}
	}
	return nil
}

// undo takes the last act back.
func (m *model) undo() tea.Cmd {
	last := m.undoes
	m.undoes = undoing{}
	switch {
	case last.act != nil:
		return m.perform(last.act)
	case last.back != nil:
		last.back()
		m.setStatus(theme.Good, last.said)
	default:
		m.setStatus(theme.Dim, "there is nothing to undo")
	}
	return nil
}

// acknowledge takes the selected agent off the list of those that need the user, and goes to the next of them.
func (m *model) acknowledge() {
	pane := m.choice.Shown(m.world.Snapshot)
	switch {
	case pane == nil:
		m.setStatus(theme.Warn, nothing)
		return
	case !pane.NeedsUser() || m.choice.Seen.Has(pane):
		m.setStatus(theme.Dim, pane.Address()+" does not need you")
		return
	}
	m.choice.Seen.Add(pane)
	id, address := pane.ID, pane.Address()
	m.undoes = undoing{back: func() { m.choice.Seen.Remove(id) }, said: address + " is on the list again"}
	m.setStatus(theme.Good, address+" is off the list until something new happens; u undoes it")
	m.choice.NextNeedsYou(m.world.Snapshot)
}

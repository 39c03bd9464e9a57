package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// handleKeys handles the keys of one read. Text for a field goes there in one piece, as a
// paste, so that a word is not taken for the name of a key. Only a key that is pressed after
// a question is shown answers it: keys that were read together with the one that asked are
// dropped.
func (m *model) handleKeys(msg tea.KeyMsg) tea.Cmd {
	if msg.Type != tea.KeyRunes || msg.Paste {
		return m.handleKey(msg)
	}
	var cmds []tea.Cmd
	asked := asks(m.form)
	for rest := msg.Runes; len(rest) > 0 && asks(m.form) == asked; {
		n := 1
		if m.form != nil && !asked {
			n = len(rest)
		}
		cmds = append(cmds, m.handleKey(tea.KeyMsg{Type: msg.Type, Runes: rest[:n], Alt: msg.Alt, Paste: n > 1}))
		// The meaning of a key can depend on the effect of the one before it.
		drawFrame(m)
		rest = rest[n:]
	}
	return tea.Batch(cmds...)
}

// asks reports whether a form is a question.
func asks(f *form.Form) bool { return f != nil && f.Asks() }

// handleKey turns a key into an intent.
func (m *model) handleKey(msg tea.KeyMsg) tea.Cmd {
	m.refusals.inputs++
	if m.form != nil {
		if wanted, ok := m.world.Keys.Of(m.form.Scope()).Lookup(msg); ok {
			return m.dispatch(wanted)
		}
		return m.dispatch(intent.Type{Key: msg})
	}
	m.forgetStatus()
	if m.typing.pane.Pane != "" {
		return m.typing.typed(&m.world, msg)
	}
	if wanted, ok := m.world.Keys.Of(m.top().Scope()).Lookup(msg); ok {
		return m.dispatch(wanted)
	}
	return nil
}

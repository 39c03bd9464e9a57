package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/inbox"
)

// inbox returns the inbox if it is the screen on top.
func (m *model) inbox() (shown *inbox.Screen, open bool) {
	shown, open = m.stack[len(m.stack)-1].(*inbox.Screen)
	return shown, open
}

// readInbox reads the dialog of the agent that is selected in the inbox, once.
func (m *model) readInbox() tea.Cmd {
	shown, open := m.inbox()
	if !open {
		return nil
	}
	pane := shown.Selected(&m.world)
	if pane == nil || !shown.Lacks(pane) {
		return nil
	}
	return m.act.Do(intent.Question{Target: screen.TargetOfPane(pane)})
}

// takeDialog shows a dialog in the inbox, if its agent is still selected there; it reports false without the inbox.
func (m *model) takeDialog(msg effect.Questioned) bool {
	shown, open := m.inbox()
	if !open || m.form != nil {
		return open
	}
	if pane := shown.Selected(&m.world); pane != nil && pane.ID == msg.Intent.Target.Pane && msg.Err == nil {
		shown.Take(form.Decide(form.Decision{
			Target: msg.Intent.Target, Reason: msg.Reason, Asked: msg.Asked, Options: msg.Options,
		}))
	}
	return true
}

// askWords opens the form for an answer in words.
func (m *model) askWords() {
	if shown, open := m.inbox(); open {
		if words := shown.Words(); words != nil {
			m.form = words
		}
	}
}

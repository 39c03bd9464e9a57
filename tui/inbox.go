package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/inbox"
)

// shownInbox returns the inbox if it is the screen on top.
func shownInbox(m *model) (shown *inbox.Screen, open bool) {
	shown, open = m.onTop().(*inbox.Screen)
	return shown, open
}

// readInbox reads the dialog of the agent that is selected in the inbox, once.
func readInbox(m *model) tea.Cmd {
	shown, open := shownInbox(m)
	if !open {
		return nil
	}
	pane := shown.Selected(&m.world)
	if pane == nil || !shown.Lacks(pane) {
		return nil
	}
	return m.act.Do(intent.Question{Target: screen.TargetOfPane(pane)})
}

// takeQuestion shows a dialog in the inbox, if its agent is still selected there; it reports false without the inbox.
func takeQuestion(m *model, msg effect.Questioned) bool {
	shown, open := shownInbox(m)
	if !open || m.form != nil {
		return open
	}
	if pane := shown.Selected(&m.world); pane != nil && pane.ID == msg.Intent.Target.Pane && msg.Err == nil {
		shown.Take(form.Decision{
			Target: msg.Intent.Target, Reason: msg.Reason, Asked: msg.Asked, Options: msg.Options,
		})
	}
	return true
}

// askInWords opens the form for an answer in words.
func askInWords(m *model) {
	if shown, open := shownInbox(m); open {
		if words := shown.Words(); words != nil {
			m.form = words
		}
	}
}

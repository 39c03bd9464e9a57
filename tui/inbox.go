package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/inbox"
)

// inboxPart asks for the dialogs of the agents in the inbox.
type inboxPart struct {
	model *model
}

// shown returns the inbox if it is the screen on top.
func (p *inboxPart) shown() (shown *inbox.Screen, open bool) {
	shown, open = p.model.stack[len(p.model.stack)-1].(*inbox.Screen)
	return shown, open
}

// read reads the dialog of the agent that is selected in the inbox, once.
func (p *inboxPart) read() tea.Cmd {
	shown, open := p.shown()
	if !open {
		return nil
	}
	pane := shown.Selected(&p.model.world)
	if pane == nil || !shown.Lacks(pane) {
		return nil
	}
	return p.model.act.Do(intent.Question{Target: screen.TargetOfPane(pane)})
}

// take shows a dialog in the inbox, if its agent is still selected there; it reports false without the inbox.
func (p *inboxPart) take(msg effect.Questioned) bool {
	shown, open := p.shown()
	if !open || p.model.form != nil {
		return open
	}
	if pane := shown.Selected(&p.model.world); pane != nil && pane.ID == msg.Intent.Target.Pane && msg.Err == nil {
		shown.Take(form.Decide(form.Decision{
			Target: msg.Intent.Target, Reason: msg.Reason, Asked: msg.Asked, Options: msg.Options,
		}))
	}
	return true
}

// askWords opens the form for an answer in words.
func (p *inboxPart) askWords() {
	if shown, open := p.shown(); open {
		if words := shown.Words(); words != nil {
			p.model.form = words
		}
	}
}

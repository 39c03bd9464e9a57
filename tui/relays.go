package tui

import (
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
	"cupola/tui/screen/relays"
)

// relaysPart opens the forms of relays.
type relaysPart struct {
	model *model
	// draft is a relay that was not asked, or failed to begin.
	draft intent.Relay
}

// shown returns the screen of the relays if it is the one on top.
func (p *relaysPart) shown() (shown *relays.Screen, open bool) {
	shown, open = p.model.onTop().(*relays.Screen)
	return shown, open
}

// ask opens the form of a new relay, unless something else is open by now.
func (p *relaysPart) ask(msg effect.BackendsFound) {
	if msg.Err != nil {
		p.model.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := p.shown(); !open || p.model.takesText() {
		return
	}
	p.model.form = form.Relay(msg.Names, msg.Usual, p.draft, func(draft intent.Relay) { p.draft = draft })
}

// askCancel asks whether to cancel a relay that has not ended.
func (p *relaysPart) askCancel(w intent.AskCancel) {
	if w.What == "" {
		p.model.setStatus(theme.Warn, "it has ended; x cancels one that runs")
		return
	}
	p.model.form = form.Cancel(w.ID, w.What)
}

// show limits the screen on top to what contains a text.
func (m *model) show(filter string) {
	if shown, is := m.top().(interface{ Show(filter string) }); is {
		shown.Show(filter)
		return
	}
	m.choice.Limit(m.world.Snapshot, filter)
}

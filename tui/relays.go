package tui

import (
	"cupola/tui/effect"
	"cupola/tui/screen/form"
	"cupola/tui/screen/runs"
)

// askRelay opens the form of a new relay, unless something else is open by now.
func (p *formsPart) askRelay(msg effect.BackendsFound) {
	if msg.Err != nil {
		p.model.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := p.model.onTop().(*runs.Screen); !open || p.model.takesText() {
		return
	}
	p.model.form = p.model.refusals.open(form.Relay(msg.Names, msg.Usual, p.model.world.Offers().Sandboxes))
}

// show limits the screen on top to what contains a text.
func (m *model) show(filter string) {
	if shown, is := m.top().(interface{ Show(filter string) }); is {
		shown.Show(filter)
		return
	}
	m.choice.Limit(m.world.Snapshot, filter)
}

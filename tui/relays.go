package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/relays"
)

// relaysPart asks for the relays that are shown, and opens their forms.
type relaysPart struct {
	model   *model
	reading reading
	// draft is a relay that was not asked, or failed to begin.
	draft intent.Relay
}

// shown returns the screen of the relays if it is the one on top.
func (p *relaysPart) shown() (shown *relays.Screen, open bool) {
	shown, open = p.model.stack[len(p.model.stack)-1].(*relays.Screen)
	return shown, open
}

// read asks for the selected relay while the screen of the relays is open: once, and while it
// runs again after each answer.
func (p *relaysPart) read() tea.Cmd {
	id := ""
	if shown, open := p.shown(); open {
		id = shown.Chosen(&p.model.world)
	}
	if !p.reading.next(id, false) {
		return nil
	}
	return p.model.act.Do(intent.ReadRelay(p.reading.asked))
}

// take stores a relay that was read, unless another one is selected by now.
func (p *relaysPart) take(msg *effect.RelayRead) {
	if msg.Intent != p.reading.asked {
		return
	}
	p.model.world.Now = msg.Now
	p.reading.answered(msg.Err != nil || msg.Record.State.Ended())
	answer := screen.Answer{Record: msg.Record, Text: msg.Text, Doing: msg.Doing, Hint: msg.Record.Hint}
	answer.Record.ID = msg.Intent.ID
	answer.Wrong = msg.Record.Error
	if e := p.model.advise(msg.Err); e != nil {
		answer.Wrong, answer.Hint = e.Error(), e.Hint
	}
	p.model.world.Answer = answer
}

// takeList stores the list of relays.
func (p *relaysPart) takeList(msg effect.RelaysListed) tea.Cmd {
	p.model.world.Relays = screen.Relays{Read: true, Records: msg.Records}
	if msg.Err != nil {
		p.model.world.Relays.Wrong = p.model.advise(msg.Err).Error()
	}
	if _, open := p.shown(); open {
		p.model.world.Now = msg.Now
	}
	return p.model.act.Do(intent.WatchRelays{})
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

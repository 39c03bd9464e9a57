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

// relays returns the screen of the relays if it is the one on top.
func (m *model) relays() (shown *relays.Screen, open bool) {
	shown, open = m.stack[len(m.stack)-1].(*relays.Screen)
	return shown, open
}

// readRelay asks for the selected relay while the screen of the relays is open: once, and while it
// runs again after each answer.
func (m *model) readRelay() tea.Cmd {
	id := ""
	if shown, open := m.relays(); open {
		id = shown.Chosen(&m.world)
	}
	if !m.reading.next(id, false) {
		return nil
	}
	return m.act.Do(intent.ReadRelay(m.reading.asked))
}

// takeRelay stores a relay that was read, unless another one is selected by now.
func (m *model) takeRelay(msg *effect.RelayRead) {
	if msg.Intent != m.reading.asked {
		return
	}
	m.world.Now = msg.Now
	m.reading.answered(msg.Err != nil || msg.Record.State.Ended())
	answer := screen.Answer{Record: msg.Record, Text: msg.Text, Doing: msg.Doing, Hint: msg.Record.Hint}
	answer.Record.ID = msg.Intent.ID
	answer.Wrong = msg.Record.Error
	if e := m.advise(msg.Err); e != nil {
		answer.Wrong, answer.Hint = e.Error(), e.Hint
	}
	m.world.Answer = answer
}

// takeRelays stores the list of relays.
func (m *model) takeRelays(msg effect.RelaysListed) tea.Cmd {
	m.world.Relays = screen.Relays{Read: true, Records: msg.Records}
	if msg.Err != nil {
		m.world.Relays.Wrong = m.advise(msg.Err).Error()
	}
	if _, open := m.relays(); open {
		m.world.Now = msg.Now
	}
	return m.act.Do(intent.WatchRelays{})
}

// askRelay opens the form of a new relay, unless something else is open by now.
func (m *model) askRelay(msg effect.BackendsFound) {
	if msg.Err != nil {
		m.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := m.relays(); !open || m.takesText() {
		return
	}
	m.form = form.Relay(msg.Names, msg.Usual, m.relayDraft, func(draft intent.Relay) { m.relayDraft = draft })
}

// askCancel asks whether to cancel a relay that has not ended.
func (m *model) askCancel(w intent.AskCancel) {
	if w.What == "" {
		m.setStatus(theme.Warn, "it has ended; x cancels one that runs")
		return
	}
	m.form = form.Cancel(w.ID, w.What)
}

// show limits the screen on top to what contains a text.
func (m *model) show(filter string) {
	if shown, is := m.top().(interface{ Show(filter string) }); is {
		shown.Show(filter)
		return
	}
	m.choice.Limit(m.world.Snapshot, filter)
}

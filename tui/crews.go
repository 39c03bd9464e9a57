package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/crews"
	"cupola/tui/screen/form"
)

// crews returns the screen of the crews if it is the one on top.
func (m *model) crews() (shown *crews.Screen, open bool) {
	shown, open = m.stack[len(m.stack)-1].(*crews.Screen)
	return shown, open
}

// readCrew asks for the selected crew while the screen of the crews is open: once, and while it works
// again after each answer.
func (m *model) readCrew() tea.Cmd {
	id, again := "", false
	if shown, open := m.crews(); open {
		id, again = shown.Chosen(&m.world), shown.Works(&m.world) || shown.Stale(&m.world)
	}
	if !m.listening.next(id, again) {
		return nil
	}
	return m.act.Do(intent.ReadCrew(m.listening.asked))
}

// takeCrew stores a crew that was read, unless another one is selected by now.
func (m *model) takeCrew(msg *effect.CrewRead) {
	if msg.Intent != m.listening.asked {
		return
	}
	m.world.Now = msg.Now
	m.listening.answered(msg.Err != nil || msg.Crew.State.Ended())
	talk := screen.Talk{Crew: msg.Crew, Events: msg.Events, Saying: msg.Saying}
	talk.Crew.ID = msg.Intent.ID
	if e := m.advise(msg.Err); e != nil {
		talk.Wrong, talk.Hint = e.Error(), e.Hint
	}
	m.world.Talk = talk
}

// takeCrews stores the list of crews.
func (m *model) takeCrews(msg effect.CrewsListed) tea.Cmd {
	m.world.Crews = screen.Crews{Read: true, Crews: msg.Crews}
	if msg.Err != nil {
		m.world.Crews.Wrong = m.advise(msg.Err).Error()
	}
	if _, open := m.crews(); open {
		m.world.Now = msg.Now
	}
	return m.act.Do(intent.WatchCrews{})
}

// askStop asks whether to stop a crew that works.
func (m *model) askStop(w intent.AskStop) {
	if w.What == "" {
		m.setStatus(theme.Warn, "it does not work; p lets it go on")
		return
	}
	m.form = form.Stop(w.ID, w.What)
}

// changesCrew reports whether an act puts something on record of a crew, also of one that has ended.
func changesCrew(did intent.Intent) bool {
	switch did.(type) {
	case intent.Say, intent.PauseCrew, intent.StopCrew:
		return true
	}
	return false
}

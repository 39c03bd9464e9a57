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

// crewsPart asks for the crews that are shown, and opens their forms.
type crewsPart struct {
	model   *model
	reading reading
	// draft is a crew that was not started.
	draft intent.StartCrew
}

// shown returns the screen of the crews if it is the one on top.
func (p *crewsPart) shown() (shown *crews.Screen, open bool) {
	shown, open = p.model.stack[len(p.model.stack)-1].(*crews.Screen)
	return shown, open
}

// read asks for the selected crew while the screen of the crews is open: once, and while it works
// again after each answer.
func (p *crewsPart) read() tea.Cmd {
	id, again := "", false
	if shown, open := p.shown(); open {
		id, again = shown.Chosen(&p.model.world), shown.Works(&p.model.world) || shown.Stale(&p.model.world)
	}
	if !p.reading.next(id, again) {
		return nil
	}
	return p.model.act.Do(intent.ReadCrew(p.reading.asked))
}

// take stores a crew that was read, unless another one is selected by now.
func (p *crewsPart) take(msg *effect.CrewRead) {
	if msg.Intent != p.reading.asked {
		return
	}
	p.model.world.Now = msg.Now
	p.reading.answered(msg.Err != nil || msg.Crew.State.Ended())
	talk := screen.Talk{Crew: msg.Crew, Events: msg.Events, Saying: msg.Saying}
	talk.Crew.ID = msg.Intent.ID
	if e := p.model.advise(msg.Err); e != nil {
		talk.Wrong, talk.Hint = e.Error(), e.Hint
	}
	p.model.world.Talk = talk
}

// takeList stores the list of crews.
func (p *crewsPart) takeList(msg effect.CrewsListed) tea.Cmd {
	p.model.world.Crews = screen.Crews{Read: true, Crews: msg.Crews}
	if msg.Err != nil {
		p.model.world.Crews.Wrong = p.model.advise(msg.Err).Error()
	}
	if _, open := p.shown(); open {
		p.model.world.Now = msg.Now
	}
	return p.model.act.Do(intent.WatchCrews{})
}

// askStop asks whether to stop a crew that works.
func (p *crewsPart) askStop(w intent.AskStop) {
	if w.What == "" {
		p.model.setStatus(theme.Warn, "it does not work; p lets it go on")
		return
	}
	p.model.form = form.Stop(w.ID, w.What)
}

// changesCrew reports whether an act puts something on record of a crew, also of one that has ended.
func changesCrew(did intent.Intent) bool {
	switch did.(type) {
	case intent.Say, intent.PauseCrew, intent.StopCrew:
		return true
	}
	return false
}

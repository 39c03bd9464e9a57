package tui

import (
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/crews"
	"cupola/tui/screen/form"
)

// crewsPart opens the forms of crews.
type crewsPart struct {
	model *model
	// draft is a crew that was not started.
	draft intent.StartCrew
}

// shown returns the screen of the crews if it is the one on top.
func (p *crewsPart) shown() (shown *crews.Screen, open bool) {
	shown, open = p.model.onTop().(*crews.Screen)
	return shown, open
}

// askStop asks whether to stop a crew that works.
func (p *crewsPart) askStop(w intent.AskStop) {
	if w.What == "" {
		p.model.setStatus(theme.Warn, "it does not work; p lets it go on")
		return
	}
	p.model.form = form.Stop(w.ID, w.What)
}

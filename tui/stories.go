package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
	"cupola/tui/screen/stories"
)

// storiesPart opens the forms of runs over stories.
type storiesPart struct{ model *model }

// shown returns the screen of the stories if it is the one on top.
func (p *storiesPart) shown() (shown *stories.Screen, open bool) {
	shown, open = p.model.onTop().(*stories.Screen)
	return shown, open
}

// handle carries out the intents of the root about stories.
func (p *storiesPart) handle(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.AskRun:
		return p.plan(intent.PlanRun{Dir: w.Dir, Name: w.Name})
	case intent.PlanRun:
		return p.plan(w)
	case intent.PauseRun:
		if w.ID != "" {
			return p.model.perform(w)
		}
		p.model.setStatus(theme.Warn, noRun)
	case intent.AskStopRun:
		p.askStop(w)
	case intent.AskFinish:
		p.askFinish(w)
	}
	return nil
}

const noRun = "no run works on it; n starts one"

// plan asks how the stories of a change would be worked on, for the form that starts that.
func (p *storiesPart) plan(w intent.PlanRun) tea.Cmd {
	p.model.setStatus(theme.Dim, "looking how "+w.Name+" would be worked on"+p.model.world.Theme.Glyphs().Ellipsis)
	return p.model.act.Do(w)
}

// takePlan opens the form that starts a run, unless something else is open by now.
func (p *storiesPart) takePlan(msg *effect.RunPlanned) {
	if msg.Err != nil {
		p.model.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := p.shown(); !open || p.model.takesText() {
		return
	}
	p.model.setStatus(theme.Text, "")
	p.model.form = form.Run(msg.Intent, &msg.Plan)
	if msg.Intent.Confirm {
		p.model.form = form.StartRun(msg.Intent, &msg.Plan)
	}
}

// askStop asks whether to stop a run that goes on.
func (p *storiesPart) askStop(w intent.AskStopRun) {
	switch {
	case w.ID == "":
		p.model.setStatus(theme.Warn, noRun)
		return
	case w.What == "":
		p.model.setStatus(theme.Warn, "it does not work; p lets it go on")
		return
	}
	p.model.form = form.StopRun(w)
}

// askFinish asks what to make of the commits of a run that ended.
func (p *storiesPart) askFinish(w intent.AskFinish) {
	switch {
	case w.ID == "":
		p.model.setStatus(theme.Warn, "it is no run; select one that has ended")
		return
	case w.What == "":
		p.model.setStatus(theme.Warn, "it has not ended; x stops it")
		return
	}
	p.model.form = form.Finish(w)
}

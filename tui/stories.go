package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
	"cupola/tui/screen/stories"
)

// plan asks how the stories of a change would be worked on, for the form that starts that.
func (p *formsPart) plan(w intent.PlanRun) tea.Cmd {
	p.model.setStatus(theme.Dim, "looking how "+w.Name+" would be worked on"+p.model.world.Theme.Glyphs().Ellipsis)
	return p.model.act.Do(w)
}

// openPlan opens the form that starts a run, unless something else is open by now.
func (p *formsPart) openPlan(msg *effect.RunPlanned) {
	if msg.Err != nil {
		p.model.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := p.model.onTop().(*stories.Todo); !open || p.model.takesText() {
		return
	}
	p.model.setStatus(theme.Text, "")
	p.model.form = form.Run(msg.Intent, &msg.Plan)
	if msg.Intent.Confirm {
		p.model.form = form.StartRun(msg.Intent, &msg.Plan)
	}
}

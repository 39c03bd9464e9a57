package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/stories"
)

// storyReading is what is read for the screen of the stories.
type storyReading struct {
	run reading
	// change and changed are read once, and again when they are in another version.
	change, changed     reading
	changeOf, changedOf string
	asked               intent.ReadChange
}

// acted lets a run be read again after an act on it, and what it changed after its commits became another.
func (r *storyReading) acted(did intent.Intent) {
	switch did.(type) {
	case intent.PauseRun, intent.StopRun, intent.FinishRun:
		r.run.ended, r.changedOf = false, ""
	}
}

// storiesPart asks for the changes and runs that are shown, and opens their forms.
type storiesPart struct {
	model   *model
	reading storyReading
}

// shown returns the screen of the stories if it is the one on top.
func (p *storiesPart) shown() (shown *stories.Screen, open bool) {
	shown, open = p.model.stack[len(p.model.stack)-1].(*stories.Screen)
	return shown, open
}

// read asks for what the screen of the stories shows while it is open: the selected change or run, and what the
// run changed if that is shown.
func (p *storiesPart) read() tea.Cmd {
	r := &p.reading
	shown, open := p.shown()
	if !open {
		r.run.next("", false)
		r.change.next("", false)
		r.changed.next("", false)
		return nil
	}
	var cmds []tea.Cmd
	if id, again := shown.Run(&p.model.world); r.run.next(id, again) {
		cmds = append(cmds, p.model.act.Do(intent.ReadRun(r.run.asked)))
	}
	change, version := shown.Change(&p.model.world)
	key := ""
	if change.Name != "" {
		key = change.Dir + "\x00" + change.Name
	}
	if r.change.next(key, version != r.changeOf) {
		r.changeOf = version
		r.asked = intent.ReadChange{Dir: change.Dir, Name: change.Name, N: r.change.asked.N}
		cmds = append(cmds, p.model.act.Do(r.asked))
	}
	id, version := shown.Changed(&p.model.world)
	if r.changed.next(id, version != r.changedOf) {
		r.changedOf = version
		cmds = append(cmds, p.model.act.Do(intent.ReadChanged{ID: id, N: r.changed.asked.N}))
	}
	return tea.Batch(cmds...)
}

// handle carries out the intents of the root about stories.
func (p *storiesPart) handle(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.ShowStories:
		shown := stories.New()
		shown.Choose(w.ID)
		p.model.open(shown)
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

// take stores what was read about stories.
func (p *storiesPart) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case effect.StoriesListed:
		return p.takeList(msg)
	case effect.ChangeRead:
		p.takeChange(&msg)
	case effect.RunRead:
		p.takeRun(&msg)
	case effect.ChangedRead:
		p.takeChanged(&msg)
	case effect.RunPlanned:
		p.takePlan(&msg)
	}
	return nil
}

// takeList stores the list of changes and runs.
func (p *storiesPart) takeList(msg effect.StoriesListed) tea.Cmd {
	p.model.world.Stories = screen.Stories{Read: true, Changes: msg.Changes, Runs: msg.Runs}
	if msg.Err != nil {
		p.model.world.Stories.Wrong = p.model.advise(msg.Err).Error()
	}
	if _, open := p.shown(); open {
		p.model.world.Now = msg.Now
	}
	return p.model.act.Do(intent.WatchStories{})
}

// takeChange stores a change that was read, unless another one is selected by now.
func (p *storiesPart) takeChange(msg *effect.ChangeRead) {
	if msg.Intent != p.reading.asked {
		return
	}
	p.reading.change.answered(true)
	p.model.world.Change = screen.ChangeText{
		Dir: msg.Intent.Dir, Name: msg.Intent.Name, N: msg.Intent.N, Change: msg.Change,
	}
	p.model.world.Change.Wrong, p.model.world.Change.Hint = p.failure(msg.Err)
}

// takeRun stores a run that was read, unless another one is selected by now.
func (p *storiesPart) takeRun(msg *effect.RunRead) {
	if msg.Intent != p.reading.run.asked {
		return
	}
	p.model.world.Now = msg.Now
	p.reading.run.answered(msg.Err != nil || msg.Run.State.Ended())
	p.model.world.Run = screen.RunText{N: msg.Intent.N, Run: msg.Run, Events: msg.Events, Saying: msg.Saying}
	p.model.world.Run.Run.ID = msg.Intent.ID
	p.model.world.Run.Wrong, p.model.world.Run.Hint = p.failure(msg.Err)
}

// takeChanged stores what a run changed, unless that of another one is shown by now.
func (p *storiesPart) takeChanged(msg *effect.ChangedRead) {
	if asked := p.reading.changed.asked; msg.Intent != (intent.ReadChanged{ID: asked.ID, N: asked.N}) {
		return
	}
	p.reading.changed.answered(true)
	p.model.world.Changed = screen.Changed{ID: msg.Intent.ID, N: msg.Intent.N, Files: msg.Files, Diff: msg.Diff}
	p.model.world.Changed.Wrong, p.model.world.Changed.Hint = p.failure(msg.Err)
}

// failure returns what went wrong, and what to do about it; nothing for no error.
func (p *storiesPart) failure(err error) (wrong, hint string) {
	if e := p.model.advise(err); e != nil {
		return e.Error(), e.Hint
	}
	return "", ""
}

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

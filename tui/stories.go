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

// stories returns the screen of the stories if it is the one on top.
func (m *model) stories() (shown *stories.Screen, open bool) {
	shown, open = m.stack[len(m.stack)-1].(*stories.Screen)
	return shown, open
}

// readStories asks for what the screen of the stories shows while it is open: the selected change or run, and what the
// run changed if that is shown.
func (m *model) readStories() tea.Cmd {
	r := &m.told
	shown, open := m.stories()
	if !open {
		r.run.next("", false)
		r.change.next("", false)
		r.changed.next("", false)
		return nil
	}
	var cmds []tea.Cmd
	if id, again := shown.Run(&m.world); r.run.next(id, again) {
		cmds = append(cmds, m.act.Do(intent.ReadRun(r.run.asked)))
	}
	change, version := shown.Change(&m.world)
	key := ""
	if change.Name != "" {
		key = change.Dir + "\x00" + change.Name
	}
	if r.change.next(key, version != r.changeOf) {
		r.changeOf = version
		r.asked = intent.ReadChange{Dir: change.Dir, Name: change.Name, N: r.change.asked.N}
		cmds = append(cmds, m.act.Do(r.asked))
	}
	id, version := shown.Changed(&m.world)
	if r.changed.next(id, version != r.changedOf) {
		r.changedOf = version
		cmds = append(cmds, m.act.Do(intent.ReadChanged{ID: id, N: r.changed.asked.N}))
	}
	return tea.Batch(cmds...)
}

// handleStories carries out the intents of the root about stories.
func (m *model) handleStories(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.ShowStories:
		shown := stories.New()
		shown.Choose(w.ID)
		m.open(shown)
	case intent.AskRun:
		return m.plan(intent.PlanRun{Dir: w.Dir, Name: w.Name})
	case intent.PlanRun:
		return m.plan(w)
	case intent.PauseRun:
		if w.ID != "" {
			return m.perform(w)
		}
		m.setStatus(theme.Warn, noRun)
	case intent.AskStopRun:
		m.askStopRun(w)
	case intent.AskFinish:
		m.askFinish(w)
	}
	return nil
}

const noRun = "no run works on it; n starts one"

// takeStory stores what was read about stories.
func (m *model) takeStory(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case effect.StoriesListed:
		return m.takeStories(msg)
	case effect.ChangeRead:
		m.takeChange(&msg)
	case effect.RunRead:
		m.takeRun(&msg)
	case effect.ChangedRead:
		m.takeChanged(&msg)
	case effect.RunPlanned:
		m.takePlan(&msg)
	}
	return nil
}

// takeStories stores the list of changes and runs.
func (m *model) takeStories(msg effect.StoriesListed) tea.Cmd {
	m.world.Stories = screen.Stories{Read: true, Changes: msg.Changes, Runs: msg.Runs}
	if msg.Err != nil {
		m.world.Stories.Wrong = m.advise(msg.Err).Error()
	}
	if _, open := m.stories(); open {
		m.world.Now = msg.Now
	}
	return m.act.Do(intent.WatchStories{})
}

// takeChange stores a change that was read, unless another one is selected by now.
func (m *model) takeChange(msg *effect.ChangeRead) {
	if msg.Intent != m.told.asked {
		return
	}
	m.told.change.answered(true)
	m.world.Change = screen.ChangeText{
		Dir: msg.Intent.Dir, Name: msg.Intent.Name, N: msg.Intent.N, Change: msg.Change,
	}
	m.world.Change.Wrong, m.world.Change.Hint = m.failure(msg.Err)
}

// takeRun stores a run that was read, unless another one is selected by now.
func (m *model) takeRun(msg *effect.RunRead) {
	if msg.Intent != m.told.run.asked {
		return
	}
	m.world.Now = msg.Now
	m.told.run.answered(msg.Err != nil || msg.Run.State.Ended())
	m.world.Run = screen.RunText{N: msg.Intent.N, Run: msg.Run, Events: msg.Events, Saying: msg.Saying}
	m.world.Run.Run.ID = msg.Intent.ID
	m.world.Run.Wrong, m.world.Run.Hint = m.failure(msg.Err)
}

// takeChanged stores what a run changed, unless that of another one is shown by now.
func (m *model) takeChanged(msg *effect.ChangedRead) {
	if asked := m.told.changed.asked; msg.Intent != (intent.ReadChanged{ID: asked.ID, N: asked.N}) {
		return
	}
	m.told.changed.answered(true)
	m.world.Changed = screen.Changed{ID: msg.Intent.ID, N: msg.Intent.N, Files: msg.Files, Diff: msg.Diff}
	m.world.Changed.Wrong, m.world.Changed.Hint = m.failure(msg.Err)
}

// failure returns what went wrong, and what to do about it; nothing for no error.
func (m *model) failure(err error) (wrong, hint string) {
	if e := m.advise(err); e != nil {
		return e.Error(), e.Hint
	}
	return "", ""
}

// plan asks how the stories of a change would be worked on, for the form that starts that.
func (m *model) plan(w intent.PlanRun) tea.Cmd {
	m.setStatus(theme.Dim, "looking how "+w.Name+" would be worked on"+m.world.Theme.Glyphs().Ellipsis)
	return m.act.Do(w)
}

// takePlan opens the form that starts a run, unless something else is open by now.
func (m *model) takePlan(msg *effect.RunPlanned) {
	if msg.Err != nil {
		m.finish(effect.Done{Intent: msg.Intent, Err: msg.Err})
		return
	}
	if _, open := m.stories(); !open || m.takesText() {
		return
	}
	m.setStatus(theme.Text, "")
	m.form = form.Run(msg.Intent, &msg.Plan)
	if msg.Intent.Confirm {
		m.form = form.StartRun(msg.Intent, &msg.Plan)
	}
}

// askStopRun asks whether to stop a run that goes on.
func (m *model) askStopRun(w intent.AskStopRun) {
	switch {
	case w.ID == "":
		m.setStatus(theme.Warn, noRun)
		return
	case w.What == "":
		m.setStatus(theme.Warn, "it does not work; p lets it go on")
		return
	}
	m.form = form.StopRun(w)
}

// askFinish asks what to make of the commits of a run that ended.
func (m *model) askFinish(w intent.AskFinish) {
	switch {
	case w.ID == "":
		m.setStatus(theme.Warn, "it is no run; select one that has ended")
		return
	case w.What == "":
		m.setStatus(theme.Warn, "it has not ended; x stops it")
		return
	}
	m.form = form.Finish(w)
}

package tui

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/filter"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/help"
	"cupola/tui/screen/peek"
	"cupola/tui/screen/runs"
	"cupola/tui/screen/search"
)

// route carries out the intents of one type; it reports false for others.
type route func(wanted intent.Intent) (cmd tea.Cmd, carried bool)

// on makes the route of a type.
func on[T intent.Intent](do func(w T) tea.Cmd) route {
	return func(wanted intent.Intent) (tea.Cmd, bool) {
		w, is := wanted.(T)
		if !is {
			return nil, false
		}
		return do(w), true
	}
}

// carry lets the first route of an intent's type carry it out; false if there is none.
func carry(routes []route, wanted intent.Intent) (tea.Cmd, bool) {
	for _, route := range routes {
		if cmd, carried := route(wanted); carried {
			return cmd, true
		}
	}
	return nil, false
}

// does makes the route of a type that needs no command.
func does[T intent.Intent](do func(w T)) route {
	return on(func(w T) tea.Cmd {
		do(w)
		return nil
	})
}

// opens makes the route of a type that opens a form.
func opens[T intent.Intent](m *model, made func(w T) *form.Form) route {
	return does(func(w T) { m.form = made(w) })
}

// keeps is opens for a form that comes back with what was typed into it when it was left.
func keeps[T intent.Intent](m *model, made func(w T) *form.Form) route {
	return does(func(w T) { m.form = m.refusals.open(made(w)) })
}

// selected makes the route of a type that is about the selected session and, where one is selected, its pane.
func selected[T intent.Intent](m *model, do func(w T, session *core.Session, pane *core.Pane)) route {
	return does(func(w T) {
		session, pane := m.choice.Chosen(m.world.Snapshot)
		if session == nil {
			m.setStatus(theme.Warn, nothing)
			return
		}
		do(w, session, pane)
	})
}

// routesOf are all that the root carries out itself; other intents are acts.
func routesOf(m *model) []route {
	return append([]route{
		on(func(intent.Quit) tea.Cmd { return tea.Quit }),
		does(func(w intent.Refuse) { m.setStatus(theme.Warn, w.Why) }),
		on(func(w intent.Chosen) tea.Cmd { return m.dispatch(w.Means) }),
		does(func(w intent.Choose) {
			if !m.choose(w.Target) {
				m.setStatus(theme.Warn, w.Target.Address+" is gone")
			}
		}),
		does(func(w intent.Find) { m.top().Handle(w) }),
		does(func(w intent.Comment) { m.top().Handle(w) }),
		does(func(w intent.Show) { m.show(w.Filter) }),
		does(func(w intent.NextSession) { m.choice.Turn(m.world.Snapshot, w.By) }),
		does(func(intent.NextNeedsYou) {
			if !m.choice.NextCalling(m.world.Snapshot) {
				m.setStatus(theme.Good, "no other agent needs you or is done")
			}
		}),
		does(func(w intent.Mark) { mark(m, w) }),
		does(func(intent.TypeInto) { m.typing.start(m.choice.Shown(m.world.Snapshot)) }),
		on(func(intent.Acknowledge) tea.Cmd { return m.acknowledge() }),
		on(m.undos.undo),
		does(func(intent.Scroll) {}), // of a screen that cannot be
		does(func(intent.Back) { m.back() }),
		does(m.goTo),
		on(m.open),
		on(func(intent.Help) tea.Cmd { return m.open(intent.Open{Screen: help.Entry.Name}) }),
		on(func(intent.Peek) tea.Cmd { return m.open(intent.Open{Screen: peek.Entry.Name}) }),
		on(func(w intent.ToggleGrid) tea.Cmd {
			return m.open(intent.Open{Screen: grid.Entry.Name, Selected: !w.All})
		}),
		on(func(w intent.Search) tea.Cmd {
			cmd := m.open(intent.Open{Screen: search.Found.Name, Afresh: true})
			m.top().Handle(w)
			return cmd
		}),
		on(m.runCommand), on(m.own.ask), on(m.own.run), on(m.arrange), on(m.resize), on(m.looks.use), on(m.attach),
		on(m.replay), on(m.edit),
		on(func(intent.Interrupt) tea.Cmd { return m.forms.interrupt() }),
		on(func(intent.Copy) tea.Cmd { return m.forms.copyShown() }),
		on(m.forms.copyReply),
	}, m.forms.routes()...)
}

// routes open the forms.
func (p *formsPart) routes() []route {
	m := p.model
	return []route{
		does(p.askAgain),
		does(func(intent.AskText) { askInWords(m) }),
		does(func(intent.AskTheme) { m.looks.ask() }),
		does(func(intent.AskArrange) {
			p.arranged = m.choice.Order
			m.form = form.Arrange(m.choice.Order)
		}),
		opens(m, func(intent.OpenPalette) *form.Form {
			keys := m.world.Keys.Of(m.top().Scope())
			return form.Palette(append(m.own.entries(keys),
				m.palette.entries(&m.world, m.choice.Target(m.world.Snapshot), keys)...))
		}),
		opens(m, func(w intent.AskCommand) *form.Form { return form.Command(w.Line) }),
		keeps(m, func(w intent.AskSearch) *form.Form { return form.Search(w.Text, m.world.Offers()) }),
		opens(m, func(w intent.AskFind) *form.Form { return form.Find(w.Text) }),
		opens(m, func(w intent.AskFilter) *form.Form {
			if w.What == "" {
				return form.Filter(m.choice.Filter, "words, !word, state:waiting, kind:cc, label:x, /regex/",
					screen.Fields())
			}
			var fields []filter.Field
			if shown, is := m.top().(interface{ Fields() []filter.Field }); is {
				fields = shown.Fields()
			}
			return form.Filter(w.Filter, w.What, fields)
		}),
		keeps(m, form.Setting), keeps(m, form.Commit), opens(m, form.Discard), opens(m, form.MergeTree),
		keeps(m, form.Publish), opens(m, form.Comment),
		keeps(m, func(w intent.AskSpawn) *form.Form {
			w.Dir = cmp.Or(w.Dir, m.dir)
			return form.Spawn(w, m.world.Offers())
		}),
		on(func(intent.AskAnswer) tea.Cmd { return p.question() }),
		on(func(intent.AskRelay) tea.Cmd { return m.act.Do(intent.Backends{}) }),
		on(func(w intent.AskStart) tea.Cmd {
			if w.Kind == "" {
				m.form = form.Start()
				return nil
			}
			return m.handle(runs.Start(run.Kind(w.Kind)))
		}),
		opens(m, form.Cancel), opens(m, form.Delete),
		keeps(m, func(intent.AskCrew) *form.Form { return form.Crew(m.world.Offers().Kinds) }),
		keeps(m, form.Say),
		on(func(w intent.AskStories) tea.Cmd { return p.plan(intent.PlanRun{Dir: w.Dir, Name: w.Name}) }),
		on(p.plan), opens(m, form.Finish),
		selected(m, func(w intent.AskSend, session *core.Session, pane *core.Pane) {
			switch {
			case w.Everyone:
				p.askBroadcast()
			case w.All:
				p.askSend(session, nil)
			default:
				p.askSend(session, pane)
			}
		}),
		selected(m, func(_ intent.AskLabel, session *core.Session, pane *core.Pane) { p.askLabel(session, pane) }),
		on(func(intent.TurnAtLimit) tea.Cmd { return p.turnAtLimit() }),
		on(func(intent.Pin) tea.Cmd { return p.pin() }),
		does(func(intent.AskSnooze) { p.askSnooze() }),
		keeps(m, form.Queue), keeps(m, form.Rule),
		on(func(intent.Fork) tea.Cmd { return p.fork() }),
		selected(m, func(_ intent.AskRestart, session *core.Session, pane *core.Pane) { p.restart(session, pane) }),
		selected(m, func(_ intent.AskCheckpoint, session *core.Session, _ *core.Pane) {
			m.form = form.Checkpoint(session.Name)
		}),
		selected(m, func(_ intent.AskAdd, session *core.Session, _ *core.Pane) {
			m.form = m.refusals.open(form.Add(session.Name, m.world.Offers()))
		}),
		selected(m, func(_ intent.AskRename, session *core.Session, _ *core.Pane) {
			m.form = m.refusals.open(form.Rename(session.Name))
		}),
		selected(m, func(_ intent.AskKill, session *core.Session, pane *core.Pane) {
			m.form = form.Kill(p.selected(), p.selected()[0].Address, "end it", describeEnd(session, pane))
		}),
	}
}

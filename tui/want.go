package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
	"cupola/tui/screen/help"
	"cupola/tui/widget"
)

// want carries an intent to whoever can do it: the form, the screen on top, the
// root, and at last effect.
func (m *model) want(wanted intent.Intent) tea.Cmd {
	if m.form != nil {
		rest := m.form.Handle(wanted)
		if rest == nil {
			return nil
		}
		m.form = nil
		return m.decide(rest)
	}
	if rest := m.top().Handle(wanted); rest != nil {
		return m.decide(rest)
	}
	return nil
}

// decide does what is the root's own, and hands acts on.
func (m *model) decide(wanted intent.Intent) tea.Cmd {
	switch w := wanted.(type) {
	case intent.Quit:
		return tea.Quit
	case intent.Back:
		m.back()
	case intent.Help:
		m.open(help.New(m.top().Scope()))
	case intent.Peek:
		m.look()
	case intent.ToggleGrid:
		m.toggle(w.All)
	case intent.Show:
		m.choice.Filter = w.Filter
	case intent.NextSession:
		m.choice.Turn(m.world.Snapshot, w.By)
	case intent.NextNeedy:
		if !m.choice.NextNeedy(m.world.Snapshot) {
			m.said = widget.Span{Token: theme.Good, Text: "nobody needs you"}
		}
	case intent.AskFilter:
		m.form = form.Filter(m.choice.Filter)
	case intent.AskSpawn:
		m.form = form.Spawn(m.dir)
	case intent.AskSend, intent.AskAdd, intent.AskKill, intent.AskRename:
		m.ask(wanted)
	default:
		return m.do(wanted)
	}
	return nil
}

// ask opens a form about what is selected.
func (m *model) ask(wanted intent.Intent) {
	session, pane := m.choice.Chosen(m.world.Snapshot)
	if session == nil {
		m.said = widget.Span{Token: theme.Warn, Text: "nothing is selected; n starts a session"}
		return
	}
	target := m.choice.Target(m.world.Snapshot)
	whole := intent.Target{Session: session.Name, Address: session.Name}
	switch w := wanted.(type) {
	case intent.AskSend:
		if w.All {
			target = whole
		}
		m.form = form.Send(target, m.drafts[target.Address], func(text string) { m.drafts[target.Address] = text })
	case intent.AskAdd:
		m.form = form.Add(session.Name)
	case intent.AskRename:
		m.form = form.Rename(session.Name)
	case intent.AskKill:
		what := fmt.Sprintf("%d panes.", len(session.Panes))
		if pane != nil {
			what = pane.Process.Command + "."
			if pane.IsAgent() {
				what = pane.Agent.Name + ", " + string(pane.Status.State) + "."
			}
		}
		m.form = form.Kill(target, what)
	}
}

// do fills in what is selected where an act lacks a target, and acts.
func (m *model) do(wanted intent.Intent) tea.Cmd {
	target := m.choice.Target(m.world.Snapshot)
	switch w := wanted.(type) {
	case intent.Attach:
		if w.Target.Address == "" {
			w.Target = target
		}
		wanted = w
	case intent.Interrupt:
		w.Target = target
		wanted = w
	case intent.Copy:
		if pane := m.choice.Shown(m.world.Snapshot); pane != nil {
			w.Pane = pane.ID
		}
		wanted = w
	case intent.Send:
		delete(m.drafts, w.Target.Address)
		m.said = widget.Span{Token: theme.Dim, Text: "sending to " + w.Target.Address + "…"}
	case intent.Spawn:
		m.said = widget.Span{Token: theme.Dim, Text: "starting " + w.Session + "…"}
	}
	if needsTarget(wanted) && target.Address == "" {
		m.said = widget.Span{Token: theme.Warn, Text: "nothing is selected; n starts a session"}
		return nil
	}
	return m.act.Do(wanted)
}

func needsTarget(wanted intent.Intent) bool {
	switch wanted.(type) {
	case intent.Attach, intent.Interrupt, intent.Copy:
		return true
	}
	return false
}

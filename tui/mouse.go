package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
)

// doubleClick is the most time between two clicks that are one.
const doubleClick = 400 * time.Millisecond

// mouse is the target of the last click, which a second click opens: an intent.Target, or the row of an intent.Pick.
type mouse struct {
	clicked any
	clicks  int
}

// clickExpired says that a click is too old to be the first of two.
type clickExpired struct{ click int }

func (m *mouse) expire(msg clickExpired) {
	if msg.click == m.clicks {
		m.clicked = nil
	}
}

// mousePart turns clicks and the wheel into intents.
type mousePart struct {
	model *model
	last  mouse
}

// handle turns a click into a selection, a second one into opening it, and the wheel
// into moving what is under it.
func (p *mousePart) handle(msg tea.MouseMsg) tea.Cmd {
	if msg.Action == tea.MouseActionPress {
		p.model.refusals.inputs++
	}
	switch {
	case p.model.form != nil:
		return p.clickForm(msg)
	case p.model.typing.pane.Pane != "": // only keys are passed on
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelDown:
		return p.model.dispatch(intent.Scroll{By: 1, X: msg.X, Y: msg.Y})
	case msg.Button == tea.MouseButtonWheelUp:
		return p.model.dispatch(intent.Scroll{By: -1, X: msg.X, Y: msg.Y})
	case msg.Action != tea.MouseActionPress || msg.Button != tea.MouseButtonLeft:
		return nil
	}
	zone, ok := p.model.zones.At(msg.X, msg.Y)
	if !ok {
		return nil
	}
	again := p.last.clicked == zone.Target
	p.last.clicked = nil
	switch target := zone.Target.(type) {
	case intent.Target:
		if again {
			return p.model.dispatch(intent.Attach{Target: target})
		}
		p.model.choose(target)
	case intent.Pick:
		if again {
			return p.model.dispatch(intent.Peek{})
		}
		p.model.dispatch(target)
	case intent.Intent:
		return p.model.dispatch(target)
	default:
		return nil
	}
	p.last.clicked = zone.Target
	p.last.clicks++
	click := p.last.clicks
	return tea.Tick(doubleClick, func(time.Time) tea.Msg { return clickExpired{click} })
}

// choose selects a pane, or a session; it reports false if neither is there.
func (m *model) choose(target intent.Target) bool {
	snap := m.world.Snapshot
	if pane := snap.Pane(target.Pane); pane != nil {
		m.choice.Select(snap, pane)
		return true
	}
	session := snap.Session(target.Session)
	if session != nil {
		m.choice.Session, m.choice.Pane = session.ID, core.PaneID("")
	}
	return session != nil
}

// clickForm selects the option of a dialog that is under a click; the rest of a form is for the keyboard.
func (p *mousePart) clickForm(msg tea.MouseMsg) tea.Cmd {
	zone, ok := p.model.zones.At(msg.X, msg.Y)
	option, is := zone.Target.(intent.Option)
	if ok && is && msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft {
		p.model.form.Handle(option)
	}
	return nil
}

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

// handleMouse turns a click into a selection, a second one into opening it, and the wheel
// into moving what is under it.
func (m *model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if msg.Action == tea.MouseActionPress {
		m.refusals.inputs++
	}
	switch {
	case m.form != nil:
		return m.clickForm(msg)
	case m.typing.Pane != "": // only keys are passed on
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelDown:
		return m.dispatch(intent.Scroll{By: 1, X: msg.X, Y: msg.Y})
	case msg.Button == tea.MouseButtonWheelUp:
		return m.dispatch(intent.Scroll{By: -1, X: msg.X, Y: msg.Y})
	case msg.Action != tea.MouseActionPress || msg.Button != tea.MouseButtonLeft:
		return nil
	}
	zone, ok := m.zones.At(msg.X, msg.Y)
	if !ok {
		return nil
	}
	again := m.mouse.clicked == zone.Target
	m.mouse.clicked = nil
	switch target := zone.Target.(type) {
	case intent.Target:
		if again {
			return m.dispatch(intent.Attach{Target: target})
		}
		m.choose(target)
	case intent.Pick:
		if again {
			return m.dispatch(intent.Peek{})
		}
		m.dispatch(target)
	case intent.Intent:
		return m.dispatch(target)
	default:
		return nil
	}
	m.mouse.clicked = zone.Target
	m.mouse.clicks++
	click := m.mouse.clicks
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
func (m *model) clickForm(msg tea.MouseMsg) tea.Cmd {
	zone, ok := m.zones.At(msg.X, msg.Y)
	option, is := zone.Target.(intent.Option)
	if ok && is && msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft {
		m.form.Handle(option)
	}
	return nil
}

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

// on takes a click on a target, and reports whether it is the second one, which opens it. The command makes the first
// one expire.
func (m *mouse) on(target any) (again bool, expire tea.Cmd) {
	again = m.clicked == target
	m.clicked = nil
	if again {
		return true, nil
	}
	m.clicked = target
	m.clicks++
	click := m.clicks
	return false, tea.Tick(doubleClick, func(time.Time) tea.Msg { return clickExpired{click} })
}

// click turns a click into a selection, a second one into opening it, and the wheel into moving what is under it.
func (m *model) click(msg tea.MouseMsg) tea.Cmd {
	if msg.Action == tea.MouseActionPress {
		m.refusals.inputs++
	}
	zone, hit := m.zones.At(msg.X, msg.Y)
	pressed := hit && msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft
	switch option, is := zone.Target.(intent.Option); {
	case m.form != nil && pressed && is: // the rest of a form is for the keyboard
		m.form.Handle(option)
		return nil
	case m.form != nil, m.typing.pane.Pane != "": // only keys are passed on
		return nil
	case msg.Button == tea.MouseButtonWheelDown:
		return m.dispatch(intent.Scroll{By: 1, X: msg.X, Y: msg.Y})
	case msg.Button == tea.MouseButtonWheelUp:
		return m.dispatch(intent.Scroll{By: -1, X: msg.X, Y: msg.Y})
	case !pressed:
		return nil
	}
	switch target := zone.Target.(type) {
	case intent.Target:
		again, expire := m.clicks.on(target)
		if again {
			return m.dispatch(intent.Attach{Target: target})
		}
		m.choose(target)
		return expire
	case intent.Pick:
		again, expire := m.clicks.on(target)
		if again {
			return m.dispatch(intent.Peek{})
		}
		m.dispatch(target)
		return expire
	case intent.Intent:
		m.clicks.clicked = nil
		return m.dispatch(target)
	}
	m.clicks.clicked = nil
	return nil
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

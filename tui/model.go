package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/help"
	"cupola/tui/screen/notice"
	"cupola/tui/screen/peek"
	"cupola/tui/screen/tree"
	"cupola/tui/widget"
)

// actor carries out what the model decides; effect.Effects is it.
type actor interface {
	Next() tea.Msg
	Look(panes []core.PaneID)
	Tick() tea.Cmd
	Do(wanted intent.Intent) tea.Cmd
}

// model is the root.
type model struct {
	act    actor
	world  screen.World
	choice *screen.Choice
	// stack are the screens that lie over one another; the last has the keys.
	stack []screen.Screen
	form  *form.Form
	// drafts are prompts that were begun and not sent, by address.
	drafts map[string]string
	dir    string
	size   layout.Rect
	zones  layout.Zones
	// said is the last thing to tell, Danger if it went wrong.
	said   widget.Span
	lost   bool // a server was there and is gone
	looked []core.PaneID
	// clicked is the target of a click that a second one would open.
	clicked intent.Target
	clicks  int
	failed  error
	lines   []string
}

// doubleClick is the most time between two clicks that are one.
const doubleClick = 400 * time.Millisecond

// cooled says that a click has become too old to be the first of two.
type cooled struct{ click int }

func newModel(act actor, t *theme.Theme, dir string, now time.Time) *model {
	m := &model{act: act, choice: &screen.Choice{}, drafts: map[string]string{}, dir: dir}
	m.world = screen.World{Screens: map[core.PaneID]core.Screen{}, Now: now, Theme: t, Cache: widget.NewCache()}
	m.stack = []screen.Screen{tree.New(m.choice)}
	return m
}

// Init begins to listen.
func (m *model) Init() tea.Cmd { return tea.Batch(m.act.Next, m.act.Tick()) }

// top is the screen that has the keys.
func (m *model) top() screen.Screen {
	if notice := m.notice(); notice != nil {
		return notice
	}
	return m.stack[len(m.stack)-1]
}

func (m *model) notice() screen.Screen {
	if _, helping := m.stack[len(m.stack)-1].(*help.Screen); helping {
		return nil
	}
	if n := notice.For(m.world.Snapshot, m.lost); n != nil {
		return n
	}
	return nil
}

// Update takes one message and decides what follows.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = layout.Rect{W: msg.Width, H: msg.Height}
	case tea.KeyMsg:
		cmd = m.keys(msg)
	case tea.MouseMsg:
		cmd = m.mouse(msg)
	case effect.Framed:
		m.take(msg)
		cmd = m.act.Next
	case effect.Handover:
		// Bubble Tea sets again what it took back, but for the mouse.
		cmd = tea.Sequence(msg.Exec(), tea.EnableMouseCellMotion)
	case effect.Done:
		m.done(msg)
	case cooled:
		if msg.click == m.clicks {
			m.clicked = intent.Target{}
		}
	case effect.Ticked:
		m.world.Now, cmd = msg.Now, m.act.Tick()
	case effect.Ended:
		m.failed, cmd = msg.Err, tea.Quit
	case tea.ResumeMsg:
		cmd = tea.Batch(tea.ClearScreen, tea.EnableMouseCellMotion)
	}
	m.draw()
	return m, cmd
}

// take folds a frame into the world.
func (m *model) take(msg effect.Framed) {
	frame := msg.Frame
	if frame.Snapshot != nil {
		if before := m.world.Snapshot; before != nil && before.EngineUp && !frame.Snapshot.EngineUp {
			m.lost = true
		} else if frame.Snapshot.EngineUp {
			m.lost = false
		}
		m.world.Snapshot = frame.Snapshot
		if frame.Snapshot.Taken.After(m.world.Now) {
			m.world.Now = frame.Snapshot.Taken
		}
		for id := range m.world.Screens {
			if frame.Snapshot.Pane(id) == nil {
				delete(m.world.Screens, id)
			}
		}
	}
	for id, seen := range frame.Screens {
		m.world.Screens[id] = seen
	}
}

// done tells how an act ended.
func (m *model) done(msg effect.Done) {
	if msg.Err != nil {
		e := core.AsError(msg.Err)
		text := e.Error()
		if msg.Said != "" {
			text = msg.Said
		} else if e.Hint != "" {
			text += " " + e.Hint
		}
		m.said = widget.Span{Token: theme.Danger, Text: text}
		if send, ok := msg.Intent.(intent.Send); ok {
			m.drafts[send.Target.Address] = send.Text
		}
		return
	}
	m.said = widget.Span{Token: theme.Good, Text: msg.Said}
}

// keys takes keys, of which those that were read together come as one message.
// What is typed into a field goes there in one piece.
func (m *model) keys(msg tea.KeyMsg) tea.Cmd {
	if msg.Type != tea.KeyRunes || msg.Paste {
		return m.key(msg)
	}
	var cmds []tea.Cmd
	for rest := msg.Runes; len(rest) > 0; {
		n := len(rest)
		if m.form == nil || m.form.Scope() != &intent.Form {
			n = 1
		}
		cmds = append(cmds, m.key(tea.KeyMsg{Type: msg.Type, Runes: rest[:n], Alt: msg.Alt}))
		// What a key means can depend on what the one before it has shown.
		m.draw()
		rest = rest[n:]
	}
	return tea.Batch(cmds...)
}

// key turns a key into an intent.
func (m *model) key(msg tea.KeyMsg) tea.Cmd {
	name := msg.String()
	if m.form != nil {
		if wanted, ok := m.form.Scope().Lookup(name); ok {
			return m.want(wanted)
		}
		typed := intent.Type{Key: name}
		if msg.Type == tea.KeyRunes && !msg.Alt || msg.Type == tea.KeySpace {
			typed.Text = string(msg.Runes)
		}
		return m.want(typed)
	}
	m.said = widget.Span{}
	if wanted, ok := m.top().Scope().Lookup(name); ok {
		return m.want(wanted)
	}
	return nil
}

// mouse turns a click into a selection, a second one into attaching, and the
// wheel into moving.
func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.form != nil {
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelDown:
		return m.want(intent.Move{By: 1})
	case msg.Button == tea.MouseButtonWheelUp:
		return m.want(intent.Move{By: -1})
	case msg.Action != tea.MouseActionPress || msg.Button != tea.MouseButtonLeft:
		return nil
	}
	zone, ok := m.zones.At(msg.X, msg.Y)
	target, isTarget := zone.Target.(intent.Target)
	if !ok || !isTarget {
		return nil
	}
	if m.clicked == target {
		m.clicked = intent.Target{}
		return m.want(intent.Attach{Target: target})
	}
	m.choose(target)
	m.clicked = target
	m.clicks++
	click := m.clicks
	return tea.Tick(doubleClick, func(time.Time) tea.Msg { return cooled{click} })
}

func (m *model) choose(target intent.Target) {
	if session := m.world.Snapshot.Session(target.Session); session != nil {
		m.choice.Session, m.choice.Pane = session.ID, target.Pane
	}
}

// open puts a screen on top.
func (m *model) open(s screen.Screen) { m.stack = append(m.stack, s) }

// back leaves the screen on top; the first one stays.
func (m *model) back() {
	if len(m.stack) > 1 {
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// toggle opens the grid, or leaves it.
func (m *model) toggle(all bool) {
	if _, ok := m.top().(*grid.Screen); ok {
		m.back()
		return
	}
	m.open(grid.New(m.choice, all))
}

// look opens the selected pane alone.
func (m *model) look() { m.open(peek.New(m.choice)) }

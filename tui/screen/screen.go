// Package screen says what the dashboard's screens share: what they show, what
// they must be able to do, and which session and pane is selected. The screens
// are plain state, a package each below this one; none knows the fleet, so none
// can block.
package screen

import (
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/cells"
	"cupola/core/detect"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// World is what there is to show. It belongs to the root; screens only read it.
type World struct {
	Snapshot *core.Snapshot
	Screens  map[core.PaneID]core.Screen
	// Explained says why panes are in their states, by pane, where that was asked.
	Explained map[core.PaneID]Explanation
	// Recalled is what was sent to the pane or session that was asked about last.
	Recalled Recalled
	// Now is the time as of which ages are shown, to the minute.
	Now   time.Time
	Theme *theme.Theme
	Cache *widget.Cache
}

// Explanation is why a pane is in its state.
type Explanation struct {
	// Signals are all that was weighed, strongest first.
	Signals []detect.Signal
	// Until is when the state may change although nothing happens; zero if never.
	Until time.Time
}

// Recalled is what was sent to a pane or session, the newest first.
type Recalled struct {
	About   intent.Target
	Prompts []Prompt
	// Note is what there is to say of the list: how many there are, or why there
	// is none.
	Note string
}

// Prompt is a text that was sent, and what became of it.
type Prompt struct {
	At   time.Time
	To   string
	Text string
	// Outcome says in a word what became of it; Failed if it did not arrive, Open
	// while that is not known.
	Outcome      string
	Failed, Open bool
	// Evidence says what was seen, a line a pane.
	Evidence []string
}

// WheelLines is how many lines of text a step of the wheel moves.
const WheelLines = 3

// Screen is one way of showing the world.
type Screen interface {
	// Scope is the table of keys that hold.
	Scope() *intent.Scope
	// Handle does what is the screen's own, and hands back what it cannot do; nil
	// if nothing is left to do.
	Handle(wanted intent.Intent) intent.Intent
	// View draws into a rect: exactly its lines, each exactly its cells. What
	// answers to the mouse is added to zones.
	View(w *World, r layout.Rect, zones *layout.Zones) []string
	// Visible are the panes whose screens the last View showed.
	Visible() []core.PaneID
}

// Age names how long ago something was, as the tree does; empty for the zero
// time.
func (w *World) Age(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return widget.Age(w.Now.Sub(since))
}

// Shot is what is known of a pane's screen. What tmux writes over the screen of
// a program that has ended is left out: the title says it better.
func (w *World) Shot(pane *core.Pane) widget.Shot {
	screen, ok := w.Screens[pane.ID]
	if !ok {
		return widget.Shot{}
	}
	if at := len(screen.Lines) - 1; pane.Process.Dead {
		for at > 0 && screen.Lines[at] == "" {
			at--
		}
		if at >= 0 && strings.HasPrefix(cells.Clean(screen.Lines[at]), "Pane is dead (") {
			screen.Lines = append(slices.Clone(screen.Lines[:at]), make([]string, len(screen.Lines)-at)...)
		}
	}
	return widget.Shot{Capture: &screen, Cursor: !pane.Process.Dead}
}

// Title describes a pane in a line: address, agent, state and, if that fits into
// room cells, the agent's kind.
func (w *World) Title(pane *core.Pane, room int) widget.Line {
	state := theme.State(pane.Status.State)
	name := pane.Agent.Name
	if !pane.IsAgent() {
		name, state = pane.Process.Command, theme.Dim
	}
	line := widget.Line{
		{Token: state, Text: w.Theme.Glyph(pane.Status.State) + " "},
		{Token: theme.Strong, Text: pane.Address()},
	}
	if !pane.IsAgent() {
		line = line[1:]
	}
	line = append(line, widget.Span{Token: theme.Text, Text: "  " + name},
		widget.Span{Token: state, Text: "  " + StateWord(pane)})
	if kind := "  " + string(pane.Agent.Kind); pane.IsAgent() && line.Width()+len(kind) <= room {
		line = append(line, widget.Span{Token: theme.Dim, Text: kind})
	}
	return line
}

// Package screen holds what the dashboard's screens share: the world that they show, their
// interface, and the selection. The screens are plain state, each in a package below this
// one; none knows the fleet, so none can block.
package screen

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// World is the data that all screens share. The root owns it; screens only read it.
type World struct {
	Snapshot *core.Snapshot
	Screens  map[core.PaneID]core.Screen
	// Composers are how many rows at the end of the screens are no words of the agents': their input boxes and foot
	// lines.
	Composers map[core.PaneID]int
	// Host is the name of the machine, Home the user's folder; empty if unknown.
	Host, Home string
	// Now is the time from which ages are computed: to the minute, or to the second while Seconds is set.
	Now     time.Time
	Seconds bool
	Theme   *theme.Theme
	// Keys has the user's own keys; nil has the usual ones.
	Keys  *intent.Keymap
	Cache *widget.Cache
	// Order is how lists are arranged; nil is as usual.
	Order *Order
	// Acts counts the acts of the user that have ended.
	Acts int
	// answers are the last ones, by their slots.
	answers map[Keeper]any
}

// Saying is an answer of an agent while it comes.
type Saying struct {
	Agent string
	// Text is the answer so far, Doing the last activity of the backend if that was no text.
	Text, Doing string
	// Pane is the address of the pane in which the agent works; empty for one without a pane.
	Pane string
}

// WheelLines is how many lines of text a step of the wheel moves.
const WheelLines = 3

// Screen is one view of the world.
type Screen interface {
	// Scope is the table of active keys.
	Scope() *intent.Scope
	// Handle handles an intent and returns what it cannot do; nil if nothing is left.
	Handle(wanted intent.Intent) intent.Intent
	// View draws into a rect: exactly its lines, each exactly its cells. It adds what reacts
	// to the mouse to zones.
	View(w *World, r layout.Rect, zones *layout.Zones) []string
}

// Viewer is a screen that shows the screens of panes.
type Viewer interface {
	// Visible are the panes whose screens the last View showed.
	Visible() []core.PaneID
}

// Applier is a screen with keys that have nothing to do at times. The footer leaves those out.
type Applier interface {
	// Applies reports whether an intent of the footer has something to do now.
	Applies(wanted intent.Intent) bool
}

// Acts reports whether the answer of a screen to an intent is an act: no refusal, and no way to nowhere.
func Acts(rest intent.Intent) bool {
	return rest != nil && rest != intent.GoTo{} && !intent.Among(rest, intent.Refuse{})
}

// Age names how long ago something was, as the tree does; empty for the zero time. Where a screen reader reads each
// change aloud it is the time of day, or the day if it was before yesterday, since that does not change.
func (w *World) Age(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	if w.Theme.Accessible() {
		if w.Now.Sub(since) < 24*time.Hour {
			return since.Local().Format("15:04")
		}
		return since.Local().Format("Jan 2")
	}
	age := w.Now.Sub(since)
	if w.Seconds && age >= time.Second && age < time.Minute {
		return strconv.Itoa(int(age/time.Second)) + "s"
	}
	return widget.Age(age)
}

// Shot returns the known screen of a pane, without the message that tmux writes over the
// screen of an ended program.
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

// Title describes a pane in a line: address, agent, what its state is about and, if that fits into room cells, the
// agent's kind.
func (w *World) Title(pane *core.Pane, room int) widget.Line {
	state := theme.State(pane.Status.Shown())
	name := pane.Agent.Name
	if pane.IsUser() {
		name, state = pane.Process.Command, theme.Dim
	}
	line := widget.Line{
		{Token: state, Text: w.Theme.Glyph(pane.Status.Shown()) + " "},
		{Token: theme.Strong, Text: pane.Address()},
	}
	if pane.IsUser() {
		line = line[1:]
	}
	gap := " "
	if pane.IsUser() {
		gap = "  "
	}
	line = append(line, widget.Span{Token: theme.Text, Text: "  " + name},
		widget.Span{Token: state, Text: gap + w.Says(pane)})
	if kind := "  " + string(pane.Agent.Kind); !pane.IsUser() && line.Width()+len(kind) <= room {
		line = append(line, widget.Span{Token: theme.Dim, Text: kind})
	}
	return line
}

// Package screen says what the dashboard's screens share: what they show, what
// they must be able to do, and which session and pane is selected. The screens
// are plain state, a package each below this one; none knows the fleet, so none
// can block.
package screen

import (
	"time"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// World is what there is to show. It belongs to the root; screens only read it.
type World struct {
	Snapshot *core.Snapshot
	Screens  map[core.PaneID]core.Screen
	// Now is the time as of which ages are shown, to the minute.
	Now   time.Time
	Theme *theme.Theme
	Cache *widget.Cache
}

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

// Shot is what is known of a pane's screen.
func (w *World) Shot(pane core.PaneID) widget.Shot {
	screen, ok := w.Screens[pane]
	if !ok {
		return widget.Shot{}
	}
	return widget.Shot{Capture: &screen, Cursor: true}
}

// Title describes a pane in a line: address, agent, kind, state.
func (w *World) Title(pane *core.Pane) widget.Line {
	line := widget.Line{{Token: theme.State(pane.Status.State), Text: w.Theme.Glyph(pane.Status.State) + " "}, {Token: theme.Strong, Text: pane.Address()}}
	name := pane.Agent.Name
	if !pane.IsAgent() {
		name = pane.Process.Command
	}
	line = append(line, widget.Span{Token: theme.Text, Text: "  " + name})
	if pane.IsAgent() && string(pane.Agent.Kind) != name {
		line = append(line, widget.Span{Token: theme.Dim, Text: "  " + string(pane.Agent.Kind)})
	}
	if word := StateWord(pane); word != "" {
		line = append(line, widget.Span{Token: theme.State(pane.Status.State), Text: "  " + word})
	}
	return line
}

// StateWord is a pane's state and, where known, its reason; empty for a user
// pane of which there is nothing to say.
func StateWord(pane *core.Pane) string {
	word := string(pane.Status.State)
	if !pane.IsAgent() && pane.Status.State == core.Unknown {
		return ""
	}
	if pane.Status.Reason != "" {
		word += " " + string(pane.Status.Reason)
	}
	return word
}

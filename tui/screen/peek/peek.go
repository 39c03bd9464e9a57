// Package peek gives one pane the whole display.
package peek

import (
	"slices"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen shows the selected pane.
type Screen struct {
	choice   *screen.Choice
	snap     *core.Snapshot
	pane     *core.Pane
	paneView screen.PaneView
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "peek", Keys: []*intent.Scope{&intent.Peeking}, Open: screen.OfChoice(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Peeking }

// Visible is the pane shown.
func (s *Screen) Visible() []core.PaneID {
	if s.pane == nil {
		return nil
	}
	return []core.PaneID{s.pane.ID}
}

// Handle goes from pane to pane, and up and down in one.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Move:
		s.move(w.By)
	case intent.Turn:
		if w.By < 0 && s.paneView.AtTop() {
			return intent.Open{Screen: "output", Selected: true}
		}
		s.paneView.Turn(w.By)
	case intent.Scroll:
		if w.By < 0 && s.paneView.AtTop() {
			return intent.Open{Screen: "output", Selected: true}
		}
		s.paneView.Scroll(w.By * screen.WheelLines)
	default:
		return wanted
	}
	return nil
}

// move goes over the panes of all sessions that the filter shows.
func (s *Screen) move(by int) {
	if s.pane == nil {
		return
	}
	var panes []*core.Pane
	for i := range s.snap.Sessions {
		panes = append(panes, s.choice.Panes(&s.snap.Sessions[i])...)
	}
	to := slices.Index(panes, s.pane) + by
	if to >= 0 && to < len(panes) {
		s.choice.Select(s.snap, panes[to])
	}
}

// View draws a title and the pane.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.snap, s.pane = w.Snapshot, s.choice.Shown(w.Snapshot)
	if s.pane == nil {
		return screen.Empty(w, r, "no pane to show")
	}
	zones.Add(r, screen.TargetOfPane(s.pane))
	return s.paneView.View(w, r, s.pane, widget.AnchorCursor)
}

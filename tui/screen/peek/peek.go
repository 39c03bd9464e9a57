// Package peek gives one pane the whole display.
package peek

import (
	"fmt"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen shows the selected pane.
type Screen struct {
	choice *screen.Choice
	rows   []screen.Row
	shown  []core.PaneID
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Peeking }

// Visible is the pane shown.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Handle goes from pane to pane.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	move, ok := wanted.(intent.Move)
	if !ok {
		return wanted
	}
	for at := s.choice.At(s.rows) + move.By; at >= 0 && at < len(s.rows); at += move.By {
		if s.rows[at].Pane != nil {
			s.choice.Set(s.rows, at)
			break
		}
	}
	return nil
}

// View draws a title and the pane.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.rows, s.shown = s.choice.Rows(w.Snapshot), nil
	pane := s.choice.Shown(w.Snapshot)
	if pane == nil {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: "no pane to show"})
	}
	s.shown = []core.PaneID{pane.ID}
	zones.Add(r, screen.TargetOf(pane))
	head, body := r.Top(1)
	title := widget.List(w.Theme, head, widget.Rows{Selected: -1, Left: []widget.Line{w.Title(pane)},
		Right: []widget.Line{widget.Say(theme.Dim, fmt.Sprintf("%dx%d", pane.View.Width, pane.View.Height))}})
	shot := w.Shot(pane.ID)
	shot.Anchor = widget.AnchorCursor
	return append(title, widget.Screen(w.Theme, body, shot, w.Cache)...)
}

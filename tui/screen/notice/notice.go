// Package notice is the screen that explains why there is nothing to show, and what to do
// about it.
package notice

import (
	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen is a few lines in the middle.
type Screen struct {
	// Title names the situation; Lines say what to do about it.
	Title string
	Lines []string
}

const demo = "Or leave with q and try: cupola demo"

// For returns the notice for a snapshot; nil if it has something to show. Lost says that a
// server was there before.
func For(snap *core.Snapshot, lost bool) *Screen {
	switch {
	case snap == nil:
		return &Screen{Title: "Looking…"}
	case !snap.EngineUp && lost:
		return &Screen{Title: "The terminal server has ended.", Lines: []string{"Its sessions are gone; n starts one."}}
	case !snap.EngineUp:
		return &Screen{
			Title: "No terminal server is running.",
			Lines: []string{"n starts a session, and the server.", demo},
		}
	case len(snap.Sessions) == 0:
		return &Screen{Title: "There is no session yet.", Lines: []string{"n starts one.", demo}}
	}
	return nil
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Nothing }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle returns every intent.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent { return wanted }

// View draws the lines in the middle.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	says := []widget.Line{widget.Styled(theme.Strong, s.Title)}
	for i, line := range s.Lines {
		if i == 0 {
			says = append(says, nil)
		}
		says = append(says, widget.Styled(theme.Dim, line))
	}
	above, rest := r.Top(max(0, (r.H-len(says))/2))
	lines := widget.Bar(w.Theme, above, nil, nil)
	for i := range min(len(says), rest.H) {
		margin, text := rest.Row(i).Left(max(0, (r.W-says[i].Width())/2))
		lines = append(lines, widget.Beside(widget.Bar(w.Theme, margin, nil, nil),
			widget.Bar(w.Theme, text, says[i], nil))...)
	}
	_, below := rest.Top(len(says))
	return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
}

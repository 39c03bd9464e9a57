// Package notice is what the dashboard says where there is nothing to show, and
// what to do about it.
package notice

import (
	"strings"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen is a few lines in the middle.
type Screen struct {
	// Title says what is so; Lines what to do about it.
	Title string
	Lines []string
}

// For returns the notice that a picture calls for, nil if there is something to
// see. Lost says that a server was there before.
func For(snap *core.Snapshot, lost bool) *Screen {
	switch {
	case snap == nil:
		return &Screen{Title: "Looking…"}
	case !snap.EngineUp && lost:
		return &Screen{Title: "The tmux server has ended.", Lines: []string{
			"Its sessions and agents are gone with it.", "n starts a new session; this screen follows by itself."}}
	case !snap.EngineUp:
		return &Screen{Title: "No tmux server is running.", Lines: []string{
			"n starts a session; that starts the server too.", "Or leave with q and try: cupola demo"}}
	case len(snap.Sessions) == 0:
		return &Screen{Title: "There is no session yet.", Lines: []string{"n starts one.", "Or leave with q and try: cupola demo"}}
	}
	return nil
}

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Tree }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle does nothing by itself.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent { return wanted }

// View draws the lines in the middle.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	rows := make([]widget.Line, 0, r.H)
	for len(rows) < max(0, r.H/2-1-len(s.Lines)/2) {
		rows = append(rows, nil)
	}
	rows = append(rows, centred(r.W, theme.Strong, s.Title), nil)
	for _, line := range s.Lines {
		rows = append(rows, centred(r.W, theme.Dim, line))
	}
	return widget.List(w.Theme, r, widget.Rows{Left: rows, Selected: -1})
}

func centred(width int, token theme.Token, text string) widget.Line {
	pad := max(0, (width-2-len([]rune(text)))/2-1)
	return widget.Line{{Token: theme.Text, Text: strings.Repeat(" ", pad)}, {Token: token, Text: text}}
}

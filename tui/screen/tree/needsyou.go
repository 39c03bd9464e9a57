package tree

import (
	"fmt"
	"strconv"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// share is the part of the height for panes that need the user, spare the height below which they are not listed:
	// their rows say what they need.
	share, spare = 3, 24
	// roomy is the width from which they are listed, and a row says what its text is.
	roomy = 40
)

// left draws the tree and, below its rows, the panes that need the user: no row moves when an alert comes. A screen
// reader would read them twice.
func (s *Screen) left(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	waiting, branches := s.needingUser(w), s.branches(w, r)
	if len(waiting) == 0 || r.H < spare || r.W < roomy || w.OneColumn() {
		return s.tree(w, r, &branches, zones)
	}
	shown := min(len(waiting), r.H/share-2)
	high, _ := r.Top(r.H - shown - 2)
	top, rest := r.Top(min(high.H, branches.Height(high)))
	lines := append(s.tree(w, top, &branches, zones), widget.Rule(w.Theme, r.W, 1)...)
	_, rest = rest.Top(1)
	return append(lines, s.needs(w, rest, waiting, shown, zones)...)
}

// needs draws the first of the panes that need the user, and what they need.
func (s *Screen) needs(w *screen.World, r layout.Rect, waiting []*core.Pane, shown int, zones *layout.Zones) []string {
	count := strconv.Itoa(len(waiting))
	if shown < len(waiting) {
		count = strconv.Itoa(shown) + " of " + count
	}
	lines := widget.Bar(w.Theme, r.Row(0), widget.Line{{Token: theme.Header, Text: "  Needs you"}},
		widget.Styled(theme.Dim, count+" "))
	rows := widget.Rows{Selected: -1, Echo: true, Left: make([]widget.Line, shown), Right: make([]widget.Line, shown)}
	_, chosen := s.choice.Chosen(w.Snapshot)
	for i, pane := range waiting[:shown] {
		if chosen != nil && chosen.ID == pane.ID {
			rows.Selected = i
		}
		state := theme.State(pane.Status.Shown())
		rows.Left[i] = append(widget.Line{
			{Token: state, Text: w.Theme.Glyph(pane.Status.Shown()) + " "},
			{Token: theme.Text, Text: pane.Address() + "  "},
		}, w.Does(pane, false)...)
		rows.Right[i] = widget.Line{
			{Token: state, Text: fmt.Sprintf("%-8s ", screen.BriefWord(pane))},
			{Token: theme.Dim, Text: fmt.Sprintf("%3s", w.Age(pane.Status.Since))},
		}
		zones.Add(r.Row(i+1), screen.TargetOfPane(pane))
	}
	_, list := r.Top(1)
	return append(lines, widget.List(w.Theme, list, rows)...)
}

// needingUser returns the panes that need the user and match the filter.
func (s *Screen) needingUser(w *screen.World) []*core.Pane {
	if w.Snapshot == nil {
		return nil
	}
	var waiting []*core.Pane
	for _, pane := range s.choice.Seen.Needing(w.Snapshot) {
		if session := w.Snapshot.Session(pane.Session); session != nil && s.choice.Matches(session, pane) {
			waiting = append(waiting, pane)
		}
	}
	return waiting
}

package tree

import (
	"fmt"
	"strconv"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// share is the part of the height for panes that need the user.
	share = 3
	// spare is the height below which they are not listed.
	spare = 9
	// roomy is the width from which a row says what is asked.
	roomy = 40
)

// left draws the panes that need the user, then the tree.
func (s *Screen) left(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	waiting := s.needingUser(w)
	if len(waiting) == 0 || r.H < spare {
		return s.tree(w, r, zones)
	}
	shown := min(len(waiting), max(1, r.H/share-2))
	block, rest := r.Top(shown + 2)
	count := strconv.Itoa(len(waiting))
	if shown < len(waiting) {
		count = strconv.Itoa(shown) + " of " + count
	}
	lines := widget.Bar(w.Theme, block.Row(0), widget.Line{{Token: theme.Header, Text: "  Needs you"}},
		widget.Styled(theme.Dim, count+" "))
	rows := widget.Rows{Selected: -1, Echo: true, Left: make([]widget.Line, shown), Right: make([]widget.Line, shown)}
	_, chosen := s.choice.Chosen(w.Snapshot)
	for i, pane := range waiting[:shown] {
		if chosen != nil && chosen.ID == pane.ID {
			rows.Selected = i
		}
		state := theme.State(pane.Status.State)
		rows.Left[i] = widget.Line{
			{Token: state, Text: w.Theme.Glyph(pane.Status.State) + " "},
			{Token: theme.Text, Text: pane.Address()},
		}
		if asks := pane.Status.Asks; asks != "" && r.W >= roomy {
			rows.Left[i] = append(rows.Left[i], widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(asks)})
		}
		age := w.Age(pane.Status.Since)
		rows.Right[i] = widget.Line{
			{Token: state, Text: fmt.Sprintf("%-8s ", screen.BriefWord(pane))},
			{Token: theme.Dim, Text: fmt.Sprintf("%3s", age)},
		}
		zones.Add(block.Row(i+1), screen.TargetOfPane(pane))
	}
	list := layout.Rect{X: block.X, Y: block.Y + 1, W: block.W, H: shown}
	lines = append(lines, widget.List(w.Theme, list, rows)...)
	lines = append(lines, widget.Rule(w.Theme, block.W, 1)...)
	return append(lines, s.tree(w, rest, zones)...)
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

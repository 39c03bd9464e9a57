package widget

import (
	"cupola/theme"
	"cupola/tui/layout"
)

// Rows is a list. One row may be selected.
type Rows struct {
	// Left begins at the left edge, Right ends at the right one; Right may be shorter.
	Left, Right []Line
	// Selected is the number of the row that is selected, -1 for none.
	Selected int
	// Top is the number of the first row shown; see FirstVisible.
	Top int
	// Empty is shown where there are no rows.
	Empty string
}

// List draws rows, the selected one on its own background and behind a sign that
// is there without colour too. The list and the table of bubbles are not used: a
// row here has several styles, and both cut styled text inside its sequences or by
// graphemes, so that rows of foreign names would not be as wide as the display.
func List(t *theme.Theme, r layout.Rect, rows Rows) []string {
	if r.Empty() {
		return pad(nil, r)
	}
	lines := make([]string, 0, r.H)
	if len(rows.Left) == 0 && rows.Empty != "" {
		lines = append(lines, painter{theme: t}.row(r.W, Line{{theme.Dim, "  " + rows.Empty}}, nil))
	}
	for i := max(0, rows.Top); i < len(rows.Left) && len(lines) < r.H; i++ {
		var right Line
		if i < len(rows.Right) {
			right = rows.Right[i]
		}
		p := painter{theme: t, selected: i == rows.Selected}
		lines = append(lines, p.row(r.W, append(p.sign(), rows.Left[i]...), right))
	}
	return pad(lines, r)
}

// sign begins a row that can be selected.
func (p painter) sign() Line {
	if p.selected {
		return Line{{theme.Accent, p.theme.Glyphs().Chosen + " "}}
	}
	return Line{{theme.Text, "  "}}
}

// FirstVisible returns the first of n rows to show in h rows so that the selected one
// is seen, as near as can be to what was first before.
func FirstVisible(top, selected, n, h int) int {
	if selected >= 0 {
		top = min(top, selected)
		top = max(top, selected-h+1)
	}
	return max(0, min(top, n-h))
}

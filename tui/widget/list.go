package widget

import (
	"strings"

	"cupola/core"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Rows is a list. One row may be selected.
type Rows struct {
	// Left begins at the left edge, Right ends at the right one; Right may be shorter.
	Left, Right []Line
	// Over are lines above the rows that have one, such as the name of a group; nil where no row has.
	Over []Line
	// Under and UnderRight are second lines below the rows that have some; nil where no row has.
	Under, UnderRight []Line
	// Selected is the number of the row that is selected, -1 for none. Echo draws it without a background,
	// because another list shows the same selection.
	Selected int
	Echo     bool
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
		for _, part := range cells.Wrap(cells.Clean(rows.Empty), max(1, r.W-2)) {
			lines = append(lines, painter{theme: t}.row(r.W, Line{{theme.Dim, "  " + part}}, nil))
		}
	}
	for i := max(0, rows.Top); i < len(rows.Left) && len(lines) < r.H; i++ {
		p := painter{theme: t, selected: i == rows.Selected && !rows.Echo}
		sign := p.sign(i == rows.Selected)
		if over := at(rows.Over, i); over != nil {
			lines = append(lines, painter{theme: t}.row(r.W, over, nil))
		}
		line := p.row(r.W, append(sign, rows.Left[i]...), at(rows.Right, i))
		if p.selected {
			line = t.Here() + line
		}
		lines = append(lines, line)
		if under := at(rows.Under, i); under != nil {
			lines = append(lines, p.row(r.W, append(Line{{theme.Text, "  "}}, under...), at(rows.UnderRight, i)))
		}
	}
	return pad(lines, r)
}

// WithoutCursor returns drawn lines without the place of the terminal's cursor: see theme.Here.
func WithoutCursor(lines []string) []string {
	return core.Map(lines, func(line string) string { return strings.ReplaceAll(line, theme.Here, "") })
}

// at is the line with a number, nil if there are not so many.
func at(lines []Line, i int) Line {
	if i < len(lines) {
		return lines[i]
	}
	return nil
}

// sign begins a row that can be selected.
func (p painter) sign(selected bool) Line {
	if selected {
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

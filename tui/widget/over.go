package widget

import (
	"github.com/charmbracelet/x/ansi"

	"cupola/theme"
	"cupola/tui/layout"
)

// Over lays lines over others: top covers the rect r of base, whose own corner
// is at 0, 0 and whose lines are w cells wide. It returns a new slice.
func Over(base []string, w int, r layout.Rect, top []string) []string {
	lines := append([]string(nil), base...)
	for i := range top {
		y := r.Y + i
		if i >= r.H || y < 0 || y >= len(lines) || r.X < 0 || r.X+r.W > w {
			continue
		}
		left := ansi.Truncate(lines[y], r.X, "")
		right := ansi.TruncateLeft(lines[y], r.X+r.W, "")
		// A wide character that is cut in two leaves a blank on either side.
		lines[y] = left + theme.Reset + spaces(r.X-ansi.StringWidth(left)) + top[i] +
			spaces(w-r.X-r.W-ansi.StringWidth(right)) + right
	}
	return lines
}

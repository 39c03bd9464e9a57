package widget

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Overlay draws lines over others: top covers the rect r of base, whose own corner is at 0,
// 0 and whose lines are w cells wide. It returns a new slice.
func Overlay(base []string, w int, r layout.Rect, top []string) []string {
	lines := append([]string(nil), base...)
	for i := range top {
		y := r.Y + i
		if i >= r.H || y < 0 || y >= len(lines) || r.X < 0 || r.X+r.W > w {
			continue
		}
		// A wide character that is cut in two leaves a blank on either side.
		left, right := exactly(cells.Cut(lines[y], r.X, ""), r.X), ""
		room := w - r.X - r.W
		for skip := r.X + r.W; skip <= w; skip++ {
			if right = cells.CutLeft(lines[y], skip); cells.Width(right) <= room {
				break
			}
		}
		if strings.IndexByte(left, 0x1b) >= 0 {
			left += theme.Reset
		}
		lines[y] = joined(left, top[i], spaces(room-cells.Width(right)), right)
	}
	return lines
}

package widget

import (
	"strings"

	"cupola/theme"
	"cupola/tui/layout"
)

// Hint is a key and what it does.
type Hint struct{ Key, Label string }

// hintGap stands between hints.
const hintGap = 2

func (h Hint) width() int { return widthOf(h.Key) + 1 + widthOf(h.Label) }

// Footer draws hints in the order given, row by row. Those that have no room are
// left out whole from the end, but the last one of all stays as long as it fits:
// it is the way to the help.
func Footer(t *theme.Theme, r layout.Rect, hints []Hint) []string {
	if r.Empty() || len(hints) == 0 {
		return pad(nil, r)
	}
	rows := make([][]Hint, 1, r.H)
	used, last := 0, hints[len(hints)-1]
	for _, hint := range hints[:len(hints)-1] {
		width := hint.width() + hintGap
		if used+width-hintGap > r.W && len(rows) < r.H {
			rows, used = append(rows, nil), 0
		}
		room := r.W
		if len(rows) == r.H {
			room -= last.width() + hintGap
		}
		if used+width-hintGap > room {
			break
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], hint)
		used += width
	}
	if used+last.width() > r.W && len(rows) < r.H {
		rows, used = append(rows, nil), 0
	}
	if used+last.width() <= r.W {
		rows[len(rows)-1] = append(rows[len(rows)-1], last)
	}
	lines := make([]string, 0, r.H)
	for _, row := range rows {
		lines = append(lines, hintRow(t, r.W, row))
	}
	return pad(lines, r)
}

func hintRow(t *theme.Theme, w int, row []Hint) string {
	line := make(Line, 0, 4*len(row))
	for i, hint := range row {
		if i > 0 {
			line = append(line, Span{theme.Text, strings.Repeat(" ", hintGap)})
		}
		line = append(line, Span{theme.FooterKey, hint.Key}, Span{theme.FooterText, " " + hint.Label})
	}
	return brush{theme: t}.row(w, line, nil)
}

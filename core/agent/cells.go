package agent

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// slender are characters of one cell that frames, prompts and spinners are drawn
// with. For others there is go-runewidth, whose tables cost a millisecond when
// they are first asked; and in some places it takes frames for twice as wide as
// terminals draw them.
var slender = [...]struct{ first, last rune }{
	{' ', '~'},
	{'\u2500', '\u25fc'},
	{'\u00a1', '\u00ac'},
	{'\u00ae', '\u02ff'},
	{'\u2010', '\u2027'},
	{'\u2030', '\u205e'},
	{'\u2139', '\u2139'},
	{'\u2190', '\u2319'},
	{'\u231c', '\u2328'},
	{'\u232b', '\u23e8'},
	{'\u23f4', '\u23ff'},
	{'\u2610', '\u2613'},
	{'\u26a0', '\u26a0'},
	{'\u270e', '\u2727'},
	{'\u2729', '\u274b'},
	{'\u2758', '\u2794'},
	{'\u2800', '\u28ff'},
	{'\u2b1d', '\u2b4f'},
}

func cellsOf(r rune) int {
	for _, s := range slender {
		if s.first <= r && r <= s.last {
			return 1
		}
	}
	return runewidth.RuneWidth(r)
}

// cells is how many columns a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

// columns returns what stands in the columns from left up to right, without the
// blanks at its end. A character that stands half inside is left out.
func columns(row string, left, right int) string {
	first, at := len(row), 0
	for i, r := range row {
		width := cellsOf(r)
		if at >= left && first == len(row) && (width > 0 || left == 0) {
			first = i
		}
		if at += width; at > right {
			return strings.TrimRight(row[min(first, i):i], " ")
		}
	}
	return strings.TrimRight(row[first:], " ")
}

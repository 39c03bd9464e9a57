package changes

import (
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// besideFrom is the width from which the old file is drawn beside the new one, in cells.
const besideFrom = 160

// beside is a difference in two columns. The zero value is empty.
type beside struct {
	left, right widget.Scroll
	// rows are the rows of the lines of the difference in one column.
	rows  []int
	of    shownPatch
	theme *theme.Theme
	top   int
}

// lay lays the lines of a difference out in two columns: what was deleted on the left, what was added on the right,
// and all else on both sides.
func (b *beside) lay(d *diff) {
	b.of, b.theme, b.rows, b.top = d.of, d.theme, make([]int, len(d.lines)), 0
	var left, right []string
	pairs := 0 // rows of the present run of changed lines
	deleted, added := 0, 0
	for i, line := range d.lines {
		_, shown, is := d.spotOf(i)
		switch {
		case is && shown.Sign == '-':
			deleted++
			if deleted > pairs {
				left, right, pairs = append(left, ""), append(right, ""), deleted
			}
			b.rows[i] = len(left) - pairs + deleted - 1
			left[b.rows[i]] = line
		case is && shown.Sign == '+':
			added++
			if added > pairs {
				left, right, pairs = append(left, ""), append(right, ""), added
			}
			b.rows[i] = len(right) - pairs + added - 1
			right[b.rows[i]] = line
		default:
			pairs, deleted, added = 0, 0, 0
			b.rows[i] = len(left)
			left, right = append(left, line), append(right, line)
		}
	}
	b.left.Set(left, false, 0)
	b.right.Set(right, false, 0)
}

// draw draws both columns, with the selected line in its own.
func (b *beside) draw(w *screen.World, r layout.Rect, d *diff) []string {
	if b.of != d.of || b.theme != d.theme || len(b.rows) != len(d.lines) {
		b.lay(d)
	}
	half := layout.Rect{W: (r.W - 1) / 2, H: r.H}
	other := layout.Rect{W: r.W - 1 - half.W, H: r.H}
	at, row := d.reader.Text.Marked, 0
	b.left.Marked, b.right.Marked = -1, -1
	if at >= 0 && at < len(b.rows) {
		row = b.rows[at]
		if _, shown, is := d.spotOf(at); !is || shown.Sign != '+' {
			b.left.Marked = row
		}
		if _, shown, is := d.spotOf(at); is && shown.Sign == '+' {
			b.right.Marked = row
		}
	}
	b.left.Sign, b.right.Sign = b.sign(d, false), b.sign(d, true)
	b.top = widget.FirstVisible(b.top, row, b.left.Lines(), r.H)
	b.left.Top, b.right.Top = b.top, b.top
	b.left.Left, b.right.Left = d.reader.Text.Left, d.reader.Text.Left
	line := w.Theme.Style(theme.Border).Render(w.Theme.Glyphs().Light.Vertical)
	between := make([]string, r.H)
	for i := range between {
		between[i] = line
	}
	return widget.Beside(b.left.Draw(w.Theme, half, w.Cache), between, b.right.Draw(w.Theme, other, w.Cache))
}

// sign returns the signs of the lines of a column: added lines are on the right, the others on the left.
func (b *beside) sign(d *diff, right bool) func(int) widget.Span {
	signs := map[int]widget.Span{}
	for i, row := range b.rows {
		if _, shown, is := d.spotOf(i); is && (shown.Sign == '+') == right {
			signs[row] = d.sign(i)
		}
	}
	return func(row int) widget.Span { return signs[row] }
}

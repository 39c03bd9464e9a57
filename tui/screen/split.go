package screen

import (
	"cupola/tui/layout"
	"cupola/tui/widget"
)

const (
	// beside is the width from which a detail is beside its list, listed the share of the list there in percent.
	beside, listed = 100, 42
	// above is the share of a list's height in percent where it is above its detail, leastList the least of it.
	above, leastList = 40, 3
)

// ListHeight is the most that Split gives a list of many rows.
func (w *World) ListHeight(r layout.Rect) int {
	if r.W >= beside && !w.OneColumn() {
		return r.H
	}
	return max(min(leastList, r.H), r.H*above/100)
}

// OneColumn reports whether nothing is drawn beside anything else: a screen reader reads whole lines.
func (w *World) OneColumn() bool { return w.Theme.Accessible() }

// Split draws a list and the detail of its selected row: beside each other where there is room, else one above the
// other, where the list takes as many rows as it has.
func Split(w *World, r layout.Rect, rows int, list, detail func(layout.Rect) []string) []string {
	return SplitFrom(w, r, beside, rows, list, detail)
}

// SplitFrom is Split for a detail that is beside its list from a width on, in cells.
func SplitFrom(w *World, r layout.Rect, width, rows int, list, detail func(layout.Rect) []string) []string {
	if w.Order.Alone() {
		return list(r)
	}
	if r.W >= width && !w.OneColumn() {
		left, rest := r.Left(r.W * w.Order.Share(listed) / 100)
		rule, rest := rest.Left(1)
		margin, right := rest.Left(1)
		return widget.Beside(list(left), widget.Rule(w.Theme, rule.W, rule.H), widget.Bar(w.Theme, margin, nil, nil),
			detail(right))
	}
	top, rest := r.Top(max(min(leastList, r.H), min(rows, r.H*above/100)))
	rule, bottom := rest.Top(1)
	lines := append(list(top), widget.Rule(w.Theme, rule.W, rule.H)...)
	return append(lines, detail(bottom)...)
}

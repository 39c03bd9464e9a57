package screen

import (
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// List is a list that scrolls and has a selected row. The zero value selects the first one.
type List struct {
	// At is the number of the selected row.
	At                int
	top, height, rows int
}

// Handle moves the selection and returns other intents.
func (l *List) Handle(wanted intent.Intent) intent.Intent {
	at, is := intent.Rows{At: l.At, Of: l.rows, Page: l.height - 1}.Moved(wanted)
	if !is {
		return wanted
	}
	l.At = at
	return nil
}

func (l *List) choose(at int) { l.At = max(0, min(at, l.rows-1)) }

// Fit sets how many rows there are and how many show, for a list that is drawn in another way.
func (l *List) Fit(rows, height int) {
	l.rows, l.height = rows, height
	l.choose(l.At)
}

// View draws the rows; it sets Top and Selected. It also returns the number of the first
// visible row.
func (l *List) View(w *World, r layout.Rect, rows widget.Rows) (lines []string, top int) {
	l.rows, l.height = len(rows.Left), r.H
	l.choose(l.At)
	rows.Selected = l.At
	l.top = widget.FirstVisible(l.top, l.At, l.rows, r.H)
	rows.Top = l.top
	return widget.List(w.Theme, r, rows), l.top
}

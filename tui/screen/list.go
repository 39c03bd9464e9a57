package screen

import (
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// List is a list that scrolls and has a selected row. The zero value selects the first one.
type List struct {
	// At is the number of the selected row.
	At                       int
	top, height, rows, lines int
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

// Lines is how many lines each row had when it was drawn last.
func (l *List) Lines() int { return max(1, l.lines) }

// Position says which rows were drawn last; empty if all were.
func (l *List) Position() string { return Position(l.top, min(l.rows, l.top+l.height), l.rows) }

// View draws the rows, in two lines each if they have second ones; it sets Top and Selected. It also returns the number
// of the first visible row.
func (l *List) View(w *World, r layout.Rect, rows widget.Rows) (lines []string, top int) {
	l.lines = 1
	if rows.Under != nil {
		l.lines = 2
	}
	l.rows, l.height = len(rows.Left), max(1, r.H/l.lines)
	l.choose(l.At)
	rows.Selected = l.At
	l.top = widget.FirstVisible(l.top, l.At, l.rows, l.height)
	rows.Top = l.top
	return widget.List(w.Theme, r, rows), l.top
}

package screen

import (
	"slices"

	"cupola/core"

	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// Selection is a list whose rows have keys: the selected row stays selected when the list is another. A filter can
// limit it. The zero value selects the first row, and shows all.
type Selection struct {
	List
	// Filter is a text that rows must contain to be displayed; empty shows all. What names the searched columns.
	Filter, What string
	keys         []string
	// chosen is the key of the selected row, next that of one to select once it is listed.
	chosen, next string
}

// Set sets the keys of the rows that show. If the selected row is gone, the one in its place is selected.
func (s *Selection) Set(keys []string) {
	s.keys = keys
	s.At, s.chosen, s.next = Reselect(keys, s.chosen, s.next, s.At)
}

// Choose selects the row with a key once it is listed.
func (s *Selection) Choose(key string) { s.next, s.Filter = key, "" }

// Handle moves the selection, selects the row that was clicked, and goes back from a filter. It returns other intents,
// and AskFilter with the filter that there is.
func (s *Selection) Handle(wanted intent.Intent) intent.Intent {
	if rest, is := Filtered(wanted, s.Filter, s.What, func(text string) { s.Filter = text }); is {
		return rest
	}
	switch w := wanted.(type) {
	case intent.Pick:
		at := slices.Index(s.keys, w.Key)
		if at < 0 {
			return nil
		}
		s.At = at
	default:
		if rest := s.List.Handle(wanted); rest != nil {
			return rest
		}
	}
	if s.At < len(s.keys) {
		s.chosen = s.keys[s.At]
	}
	return nil
}

// Draw draws the rows, and lets clicks select them.
func (s *Selection) Draw(w *World, r layout.Rect, rows widget.Rows, zones *layout.Zones) []string {
	lines, top := s.View(w, r, rows)
	for y := range r.H {
		if i := top + y/s.Lines(); i < len(s.keys) {
			zones.Add(r.Row(y), intent.Pick{Key: s.keys[i]})
		}
	}
	return lines
}

// Listed is a selection among rows of one type.
type Listed[T any] struct {
	Selection
	// Rows are the rows that show.
	Rows []T
}

// ListOf returns an empty list of rows; what names the columns that its filter searches.
func ListOf[T any](what string) Listed[T] { return Listed[T]{Selection: Selection{What: what}} }

// Take replaces the rows; key returns the key of one.
func (l *Listed[T]) Take(rows []T, key func(*T) string) {
	l.Rows = rows
	keys := core.Map(rows, func(t T) string { return key(&t) })
	l.Set(keys)
}

// Selected returns the selected row; nil if there is none.
func (l *Listed[T]) Selected() *T {
	if l.At < len(l.Rows) {
		return &l.Rows[l.At]
	}
	return nil
}

// Filtered handles the intents that ask for a filter of the rows, and that remove it; false for other intents. An
// intent that removes an empty filter is returned.
func Filtered(wanted intent.Intent, filter, what string, show func(filter string)) (rest intent.Intent, is bool) {
	switch wanted.(type) {
	case intent.AskFilter:
		return intent.AskFilter{Filter: filter, What: what}, true
	case intent.Back:
		if filter == "" {
			return wanted, true
		}
		show("")
		return nil, true
	}
	return nil, false
}

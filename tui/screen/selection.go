package screen

import (
	"slices"

	"cupola/tui/intent"
	"cupola/tui/layout"
)

// Selection is a list whose rows have keys: the selected row stays selected when the list is another. A filter can
// limit it. The zero value selects the first row, and shows all.
type Selection struct {
	List
	// Filter is what rows must contain to be shown; empty shows all. What says of which of their texts.
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

// Chosen is the key of the selected row; empty if there is none.
func (s *Selection) Chosen() string { return s.chosen }

// Choose selects the row with a key once it is listed.
func (s *Selection) Choose(key string) { s.next, s.Filter = key, "" }

// Handle moves the selection, selects the row that was clicked, and goes back from a filter. It returns other intents,
// and AskFilter with the filter that there is.
func (s *Selection) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Pick:
		at := slices.Index(s.keys, w.Key)
		if at < 0 {
			return nil
		}
		s.At = at
	case intent.AskFilter:
		return intent.AskFilter{Filter: s.Filter, What: s.What}
	case intent.Back:
		if s.Filter == "" {
			return wanted
		}
		s.Filter = ""
		return nil
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

// Zones lets clicks select the rows that show in a rect from the one with the number top on.
func (s *Selection) Zones(r layout.Rect, top int, zones *layout.Zones) {
	for i := top; i < len(s.keys) && i-top < r.H; i++ {
		zones.Add(r.Row(i-top), intent.Pick{Key: s.keys[i]})
	}
}

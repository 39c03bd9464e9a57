package screen

import "cupola/tui/intent"

// Tail is the place in a text that may grow: its end, until the user scrolls up from there. The zero value is at the
// top of a text that does not grow, and at the end of one that does.
type Tail struct {
	page Page
	// free is true once the user has scrolled.
	free bool
	// Note says which lines were shown last; empty if all were.
	Note string
}

// Handle scrolls, and returns other intents.
func (t *Tail) Handle(wanted intent.Intent) intent.Intent {
	if wanted = t.page.Handle(wanted); wanted == nil {
		t.free = true
	}
	return wanted
}

// Shown returns which of n lines show in so many rows: those from top up to end. A text that grows is followed.
func (t *Tail) Shown(n, height int, grows bool) (top, end int) {
	blank := make([]string, n)
	top, end = t.page.Shown(blank, height)
	if grows && !t.free && end < n {
		t.page.Handle(intent.Jump{Last: true})
		top, end = t.page.Shown(blank, height)
	}
	t.free = t.free && end < n
	if t.Note = Position(top, end, n); grows && t.free && t.Note != "" {
		t.Note += "; G follows"
	}
	return top, end
}

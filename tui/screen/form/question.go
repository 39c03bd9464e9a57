package form

import (
	"fmt"
	"strings"

	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
)

// question is a decision, with how much of its text was on the display.
type question struct {
	Decision
	page screen.Page
	// all is how many lines the text has, as drawn last, seen how many from the first
	// have been shown.
	all, seen int
}

// text is what the dialog says, in lines of at most w cells.
func (q *question) text(w int) []string {
	var lines []string
	for _, line := range q.Asked {
		if text := strings.TrimSpace(line); text != "" && w > 0 {
			lines = append(lines, cells.Wrap(cells.Clean(text), w)...)
		}
	}
	return lines
}

// choices are the options, in lines of at most w cells.
func (q *question) choices(t *theme.Theme, w int) []string {
	lines := make([]string, len(q.Options))
	for i, o := range q.Options {
		mark := "  "
		if o.Selected {
			mark = "› "
		}
		lines[i] = cells.Cut(cells.Clean(fmt.Sprintf("%s%d. %s", mark, o.N, o.Label)), w, t.Glyphs().Ellipsis)
	}
	return lines
}

// height is how many lines the question takes where it has room.
func (q *question) height(w int) int { return len(q.text(w)) + 1 + len(q.Options) }

// draw draws as much of the text as there is room for above the options, and a line between
// them with an error, or which part of the text is shown.
func (q *question) draw(w *screen.World, area layout.Rect, wrong string) []string {
	text, choices := q.text(area.W), q.choices(w.Theme, area.W)
	choices = choices[:max(0, min(len(choices), area.H-2))]
	top, end := q.page.Shown(text, max(1, area.H-1-len(choices)))
	q.all = len(text)
	if q.seen >= top {
		q.seen = max(q.seen, end)
	}
	var lines []string
	for _, line := range text[top:end] {
		lines = append(lines, w.Theme.Style(theme.Text).Render(line))
	}
	between, token := "", theme.Dim
	switch {
	case wrong != "":
		between, token = wrong, theme.Danger
	case end-top < q.all:
		between = fmt.Sprintf("lines %d-%d of %d; PgUp, PgDn", top+1, end, q.all)
	}
	lines = append(lines, w.Theme.Style(token).Render(cells.Cut(between, area.W, w.Theme.Glyphs().Ellipsis)))
	for _, line := range choices {
		lines = append(lines, w.Theme.Style(theme.Text).Render(line))
	}
	return lines
}

// unread reports whether a part of the text was never on the display.
func (q *question) unread() bool { return q.seen < q.all }

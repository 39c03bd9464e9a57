package form

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/agent"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// question is a decision, with how much of its text was on the display.
type question struct {
	Decision
	page screen.Page
	// all is how many lines the text has, as drawn last, seen how many from the first
	// have been shown.
	all, seen int
}

// text returns the text of the dialog, in lines of at most w cells.
func (q *question) text(w int) []string {
	var lines []string
	for _, line := range q.Asked {
		if text := strings.TrimSpace(line); text != "" && w > 0 {
			lines = append(lines, cells.Wrap(cells.Clean(text), w)...)
		}
	}
	return lines
}

// Opening is the first line of the dialog; empty for none.
func (d *Decision) Opening() string {
	for _, line := range d.Asked {
		if text := cells.Clean(strings.TrimSpace(line)); text != "" {
			return text
		}
	}
	return ""
}

// choices draws the options in an area, as many as it has room for, the selected one among them.
func (q *question) choices(t *theme.Theme, area layout.Rect, zones *layout.Zones) []string {
	selected := slices.IndexFunc(q.Options, func(o agent.Option) bool { return o.Selected })
	top := widget.FirstVisible(0, selected, len(q.Options), area.H)
	lines := make([]string, 0, area.H)
	for i, o := range q.Options[top:min(top+area.H, len(q.Options))] {
		mark, style, here := "  ", t.Style(theme.Text), ""
		if o.Selected {
			mark, style, here = t.Glyphs().Chosen+" ", t.Selected(theme.Text), t.Here()
		}
		line := cells.Cut(cells.Clean(fmt.Sprintf("%s%d. %s", mark, o.N, o.Label)), area.W, t.Glyphs().Ellipsis)
		lines = append(lines, here+style.Render(line+strings.Repeat(" ", area.W-cells.Width(line))))
		zones.Add(layout.Rect{X: area.X, Y: area.Y + i, W: area.W, H: 1}, intent.Option{N: o.N})
	}
	return lines
}

// height is how many lines the question takes where it has room.
func (q *question) height(w int) int { return len(q.text(w)) + 1 + len(q.Options) }

// draw draws as much of the text as there is room for above the options, and a line between
// them with an error, or which part of the text is shown.
func (q *question) draw(w *screen.World, area layout.Rect, wrong string, zones *layout.Zones) []string {
	text, choices := q.text(area.W), max(0, min(len(q.Options), area.H-2))
	top, end := q.page.Shown(text, max(1, area.H-1-choices))
	q.all = len(text)
	if q.seen >= top {
		q.seen = max(q.seen, end)
	}
	lines := core.Map(text[top:end], func(line string) string { return w.Theme.Style(theme.Text).Render(line) })
	between, token := "", theme.Dim
	switch {
	case wrong != "":
		between, token = wrong, theme.Danger
	case end-top < q.all:
		between = fmt.Sprintf("lines %d-%d of %d; PgUp, PgDn", top+1, end, q.all)
	}
	lines = append(lines, w.Theme.Style(token).Render(cells.Cut(between, area.W, w.Theme.Glyphs().Ellipsis)))
	below := layout.Rect{X: area.X, Y: area.Y + len(lines), W: area.W, H: choices}
	return append(lines, q.choices(w.Theme, below, zones)...)
}

// unread reports whether a part of the text was never on the display.
func (q *question) unread() bool { return q.seen < q.all }

package runs

import (
	"cmp"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
)

// none is displayed before the first run.
var none = &notice.Screen{
	Title: "Nothing was run yet.", Lines: append(notice.Block(
		"relay     one prompt to another agent or model",
		"crew      several agents that talk until a task is done",
		"story     the stories of a change, each proven by its tests",
		"pipeline  a file of steps",
	), "", "n starts one. It keeps running when you leave, and its record stays here."),
}

// View draws the list and the selected run beside or below it, or that run alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	bar, body := r.Top(1)
	lines := s.bar(w, bar)
	s.at = layout.Rect{}
	all, h := readAll.In(w), s.row()
	unread := screen.Unread(w, body, all)
	switch {
	case len(all.Value.Runs) == 0 && unread != nil:
		return append(lines, unread...)
	case len(all.Value.Runs) == 0:
		return append(lines, none.View(w, body, zones)...)
	case s.whole && h != nil:
		return append(lines, s.selected(w, body, h, zones)...)
	}
	return append(lines, screen.SplitFrom(w, body, beside, len(s.list.Rows), func(r layout.Rect) []string {
		return s.list.Draw(w, r, table(s.list.Rows, w, r.W), zones)
	}, func(r layout.Rect) []string {
		if h == nil {
			return widget.Bar(w.Theme, r, nil, nil)
		}
		return s.selected(w, r, h, zones)
	})...)
}

// beside is the width from which the selected run is beside the list, in cells: the text of an answer needs 80.
const beside = 140

// bar says which runs are listed, and how many.
func (s *Screen) bar(w *screen.World, r layout.Rect) []string {
	keys := w.Keys.Of(&intent.Runs)
	left := widget.Styled(theme.Header, "  Runs")
	filter := func(key, all, value string) {
		token := theme.Accent
		if value == "" {
			token, value = theme.Dim, all
		}
		left = append(left, widget.Span{Token: theme.Dim, Text: "   " + key + " "},
			widget.Span{Token: token, Text: cells.Clean(value)})
	}
	filter(keys.Key(intent.NextKind{By: 1}), "all kinds", string(s.kind))
	filter(keys.Key(intent.NextProject{}), "all projects", w.Tilde(s.project))
	search := ""
	if text := s.searched(); text != nil {
		search = *text
	}
	for _, text := range []string{s.list.Filter, search} {
		if text != "" {
			left = append(left, widget.Span{Token: theme.Accent, Text: "   /" + cells.Clean(text)})
		}
	}
	all := readAll.In(w)
	if all.Wrong != "" && len(s.list.Rows) > 0 {
		left = append(left, widget.Span{Token: theme.Danger, Text: "   " + all.Wrong})
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, s.counts(w, &all.Value, r.W-left.Width()-2)))
}

// counts says how many runs need the user and have not ended, and how many are listed of all, as far as it fits.
func (s *Screen) counts(w *screen.World, all *List, room int) string {
	var parts []string
	urgent := 0
	for i := range all.Runs {
		if rank(&all.Runs[i], w.Now) == 0 {
			urgent++
		}
	}
	if urgent > 0 {
		parts = append(parts, core.NeedYou(urgent))
	}
	if n := Running(w); n > 0 {
		parts = append(parts, fmt.Sprintf("%d running", n))
	}
	switch {
	case len(s.list.Rows) < all.Total:
		parts = append(parts, fmt.Sprintf("%d of %d", len(s.list.Rows), all.Total))
	case all.Total > 0:
		parts = append(parts, fmt.Sprintf("%d in all", all.Total))
	}
	for len(parts) > 0 && len(strings.Join(parts, ", ")) > room {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, ", ")
}

// selected draws a run: what it is, what it came to with what can be done next, and the detail of its kind.
func (s *Screen) selected(w *screen.World, r layout.Rect, h *run.Head, zones *layout.Zones) []string {
	s.at = r
	d := s.details[h.Kind]
	if s.head = d.Show(w, h, s.whole); s.head == nil {
		return screen.Reading(w, r)
	}
	s.head.Hint = cmp.Or(s.head.Hint, h.Hint)
	title, rest := r.Top(1)
	came := s.result(w, d, r.W)
	const leastDetail = 3
	result, rest := rest.Top(min(len(came), max(0, rest.H-leastDetail)))
	detail := d.View(w, rest, zones)
	facts, note := d.About(w)
	line := widget.Line{
		{Token: screen.RunToken(s.head.State), Text: "  " + word(s.head.State)},
		{Token: theme.Strong, Text: "  " + cells.Clean(nameOf(s.head))},
	}
	facts = append([]string{string(h.Kind), h.ID, h.Backend, screen.Dollars(s.head.CostUSD)}, facts...)
	for _, fact := range append(facts, w.Tilde(h.Dir)) {
		if fact != "" && fact != nameOf(s.head) && fact != word(s.head.State) {
			line = append(line, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(fact)})
		}
	}
	lines := widget.Bar(w.Theme, title, line, widget.Styled(theme.Dim, note))
	lines = append(lines, widget.List(w.Theme, result, widget.Rows{Selected: -1, Left: came})...)
	return append(lines, detail...)
}

// parts say how many parts of a run are done.
var parts = map[run.Kind]string{
	run.Crew: "after %d of at most %d turns", run.Story: "%d of %d stories", run.Pipeline: "%d of %d steps",
}

// margins is the free width beside the text of a row, in cells.
const margins = 4

// result returns the result of the selected run, and the keys of possible next steps; nothing while it works.
func (s *Screen) result(w *screen.World, d Detail, width int) []widget.Line {
	h := s.head
	text, hint := "", h.Hint
	switch h.State {
	case run.Running:
		if h.Until.IsZero() {
			return nil
		}
		text = "It is at a usage limit, and " + h.Awaits(w.Now) + "."
	case run.Pending:
		text = "It has not started."
	case run.Paused:
		text = "It is paused."
	case run.NeedsYou:
		text = "It needs you: " + h.Needs + "."
	case run.Done:
		text = "Done."
		if h.Total > 0 {
			text = "Done: " + fmt.Sprintf(parts[h.Kind], h.Done, h.Total) + "."
		}
	case run.Failed:
		text = "It failed: " + cmp.Or(h.Error, h.Reason, "no reason is on record")
	case run.Cancelled:
		text = "It was cancelled."
	case run.Interrupted:
		text = "It was interrupted: its process ended before it did."
	}
	const most = 3
	lines := screen.Paragraph(screen.RunToken(h.State), screen.OneLine(text, 1000), width-margins)
	lines = lines[:min(len(lines), most)]
	next := keys(w.Keys.Of(d.Scope(h)))
	if len(lines) == 1 && lines[0].Width()+next.Width()+2*margins < width {
		lines[0] = append(append(lines[0], widget.Span{Token: theme.Dim, Text: "    "}), next...)
		next = nil
	}
	if h.State == run.Failed && hint != "" {
		lines = append(lines, screen.Paragraph(theme.Dim, screen.OneLine(hint, 500), width-margins)...)
	}
	if next != nil {
		lines = append(lines, next)
	}
	return lines
}

// keys returns the hints of a footer up to the one that gives the run the whole display.
func keys(scope *intent.Scope) (line widget.Line) {
	for _, name := range scope.Footer {
		b := scope.Find(name)
		if b.Intent == (intent.Peek{}) {
			break
		}
		if line != nil {
			line = append(line, widget.Span{Token: theme.Dim, Text: "   "})
		}
		line = append(line, widget.Span{Token: theme.FooterKey, Text: intent.Name(name)},
			widget.Span{Token: theme.Dim, Text: " " + b.Label})
	}
	return line
}

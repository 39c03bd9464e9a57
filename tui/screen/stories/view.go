package stories

import (
	"fmt"
	"strings"

	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
)

// beginner is what is shown where there is neither a change nor a run.
var beginner = &notice.Screen{Title: "There is no change with stories.", Lines: []string{
	"Stories are the headings of a list of tasks (- [ ] TEXT).",
	"An OpenSpec change has one: openspec/changes/NAME/tasks.md",
	"Any Markdown file with tasks is one too: --tasks FILE", "", "This command lists what there is in a folder:",
	"cupola story list",
}}

// View draws the list and what is selected below it, or that alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.snapshot = w.Snapshot
	s.progress.visible = ""
	head, body := r.Top(1)
	lines := s.head(w, head)
	s.at = layout.Rect{}
	read := readList.In(w)
	none := len(read.Value.Changes)+len(read.Value.Runs) == 0
	unread := screen.Unread(w, body, read)
	switch {
	case none && unread != nil:
		return append(lines, unread...)
	case none:
		return append(lines, beginner.View(w, body, zones)...)
	case s.whole && s.row() != nil:
		return append(lines, s.detail(w, body, zones)...)
	}
	list, below := body.Top(s.height(body.H))
	drawn, top := s.list.View(w, list, table(s.rows, w, r.W))
	lines = append(lines, drawn...)
	s.list.Zones(list, top, zones)
	if s.row() == nil {
		return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
	}
	line, below := below.Top(1)
	lines = append(lines, widget.Rule(w.Theme, line.W, line.H)...)
	return append(lines, s.detail(w, below, zones)...)
}

// detail draws what is selected.
func (s *Screen) detail(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	if one := s.row(); one.change != nil {
		s.preview.show(w, one)
		lines := s.preview.view(w, r, zones)
		s.at = r
		return lines
	}
	s.progress.show(w, s.run().ID)
	s.at = r
	return s.progress.view(w, r, zones)
}

// height is how many lines the list takes of some: a quarter, or less if it is shorter.
func (s *Screen) height(height int) int {
	const least = 3
	return min(height, max(1, min(len(s.rows), max(least, height/4))))
}

func (s *Screen) head(w *screen.World, r layout.Rect) []string {
	left := widget.Styled(theme.Header, "  Stories")
	if s.list.Filter != "" {
		left = append(left, widget.Span{Token: theme.Accent, Text: "  /" + s.list.Filter})
	}
	read := readList.In(w)
	if read.Wrong != "" && len(s.rows) > 0 {
		left = append(left, widget.Span{Token: theme.Danger, Text: "  " + read.Wrong})
	}
	var parts []string
	if n := Running(w); n > 0 {
		parts = append(parts, fmt.Sprintf("%d running", n))
	}
	if s.list.Filter != "" {
		parts = append(parts, fmt.Sprintf("%d shown", len(s.rows)))
	}
	if n := len(read.Value.Changes); n > 0 {
		parts = append(parts, counted(n, "change", "changes"))
	}
	if n := len(read.Value.Runs); n > 0 {
		parts = append(parts, counted(n, "run", "runs"))
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, strings.Join(parts, ", ")))
}

package search

import (
	"strings"

	"cupola/core/agent/search"
	"cupola/core/agent/transcript"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
)

// mostTool is how many lines of a tool's text are shown.
const mostTool = 12

// conversation draws what was said around the selected text.
func (s *Screen) conversation(w *screen.World, r layout.Rect) []string {
	read := passage.In(w)
	if read.Question != any(Around{s.chosen}) {
		return screen.Reading(w, r)
	}
	if drawn := screen.Unread(w, r, read); drawn != nil {
		return drawn
	}
	if about := (Around{s.chosen}); s.shown != about || s.width != r.W || s.theme != w.Theme {
		s.shown, s.width, s.theme = about, r.W, w.Theme
		s.passage = read.Value
		lines, at := layOut(w, &read.Value, r.W)
		s.reader.Text.Wrap = true
		s.reader.Text.Set(lines, false, at)
		s.reader.Text.Find(s.wanted.Text)
		s.reader.Text.Top = at
	}
	return s.reader.Text.Draw(w.Theme, r, w.Cache)
}

// layOut lays a passage out, and returns in which line the text that was found begins.
func layOut(w *screen.World, p *search.Passage, width int) (lines []string, at int) {
	style := func(token theme.Token, text string) string { return w.Theme.Style(token).Render(text) }
	for i := range p.Said {
		said := &p.Said[i]
		if i == p.At {
			at = len(lines)
		}
		head := strings.TrimSpace(w.Age(said.At) + " " + string(said.Who))
		lines = append(lines, style(token(said.Who), head))
		n := 0
		for line := range strings.SplitSeq(strings.TrimSpace(said.Text), "\n") {
			n++
			if said.Who == transcript.ByTool && n > mostTool && i != p.At {
				lines = append(lines, style(theme.Dim, w.Theme.Glyphs().Ellipsis))
				break
			}
			for _, part := range cells.Wrap(cells.Clean(line), max(1, width-4)) {
				lines = append(lines, "  "+part)
			}
		}
		lines = append(lines, "")
	}
	return lines, at
}

// plain is the passage as text.
func (s *Screen) plain() string {
	var b strings.Builder
	for i := range s.passage.Said {
		said := &s.passage.Said[i]
		b.WriteString(string(said.Who) + ": " + strings.TrimSpace(said.Text) + "\n\n")
	}
	return b.String()
}

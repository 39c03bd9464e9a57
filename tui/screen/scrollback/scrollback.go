// Package scrollback shows all that a pane has shown: the terminal's history or, where that is not the agent's own,
// what the agent recorded.
package scrollback

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/markdown"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks for all that a pane has shown, or that its agent has recorded.
type Question struct{ Pane intent.Target }

// Text is the scrollback of a pane, or the conversation of its agent.
type Text struct {
	// Source says in words where it is from.
	Source string
	// Lines are the terminal's, with their styles.
	Lines []string
	// Turns are the record's; where there are some, they are shown rather than Lines.
	Turns []transcript.Turn
}

// readText is the text that was read last.
var readText = &screen.Slot[Text]{}

// Screen shows what one pane has shown.
type Screen struct {
	about  intent.Target
	reader screen.Reader
	// of is the text that was laid out, width and theme are the width and the theme of that layout.
	of    Text
	pane  core.PaneID
	width int
	theme *theme.Theme
}

// New makes the screen of a pane.
func New(about intent.Target) *Screen { return &Screen{about: about} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "output", Keys: []*intent.Scope{&intent.Reading},
	Words: "scrollback log transcript",
	Open: func(at *screen.Opening) (screen.Screen, string) {
		pane := at.Choice.Shown(at.World.Snapshot)
		if pane == nil {
			return nil, screen.NothingSelected
		}
		return New(screen.TargetOfPane(pane)), ""
	},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Reading }

// Wants asks for the text.
func (s *Screen) Wants(*screen.World) []screen.Want {
	return []screen.Want{{Slot: readText, Question: Question{s.about}}}
}

// Handle moves, searches and wraps.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if _, copies := wanted.(intent.Copy); copies {
		return intent.CopyText{Text: s.plain()}
	}
	return s.reader.Handle(wanted)
}

// Applies reports whether an intent has something to do with the text.
func (s *Screen) Applies(wanted intent.Intent) bool { return s.reader.Applies(wanted) }

// plain is the whole text without styles.
func (s *Screen) plain() string {
	var b strings.Builder
	for _, line := range s.of.Lines {
		b.WriteString(strings.TrimRight(cells.Strip(line), " ") + "\n")
	}
	for i := range s.of.Turns {
		turn := &s.of.Turns[i]
		fmt.Fprintf(&b, "> %s\n\n%s\n\n", turn.Prompt, strings.Join(turn.Said, "\n\n"))
	}
	return b.String()
}

// View draws what it is about, then the text.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	head, body := r.Top(1)
	title := widget.Line{{Token: theme.Strong, Text: s.about.Address}}
	if pane := w.Snapshot.Pane(s.about.Pane); pane != nil {
		title = w.Title(pane, 0)
	}
	read := readText.In(w)
	asked, is := read.Question.(Question)
	switch {
	case !is || asked.Pane.Pane != s.about.Pane:
		return append(widget.Bar(w.Theme, head, title, nil),
			screen.Reading(w, body)...)
	case read.Wrong != "":
		return append(widget.Bar(w.Theme, head, title, nil),
			screen.Empty(w, body, cells.Clean(read.Wrong))...)
	}
	s.take(w, &read.Value, body.W)
	drawn := s.reader.Text.Draw(w.Theme, body, w.Cache) // it says then which lines show
	title = append(title, widget.Span{Token: theme.Dim, Text: "  from " + read.Value.Source})
	return append(widget.Bar(w.Theme, head, title, s.reader.Place()), drawn...)
}

// take lays the text out when it or the width is another.
func (s *Screen) take(w *screen.World, text *Text, width int) {
	same := s.pane == s.about.Pane && len(s.of.Lines) == len(text.Lines) && len(s.of.Turns) == len(text.Turns) &&
		s.of.Source == text.Source
	if same && (s.width == width && s.theme == w.Theme || len(text.Turns) == 0) {
		return
	}
	s.of, s.pane, s.width, s.theme = *text, s.about.Pane, width, w.Theme
	if len(text.Turns) == 0 {
		s.reader.Text.Set(text.Lines, true, 0)
		return
	}
	var lines []string
	for i := range text.Turns {
		lines = append(lines, turn(w, text, i, width)...)
	}
	s.reader.Text.Set(lines, true, 0)
}

// turn lays out a turn: its prompt, the tools that were called, and what the agent said.
func turn(w *screen.World, text *Text, i, width int) []string {
	t := &text.Turns[i]
	var lines []string
	if i > 0 {
		lines = append(lines, widget.Rule(w.Theme, width, 1)...)
	}
	if !t.Began.IsZero() {
		lines = append(lines, w.Theme.Style(theme.Dim).Render(t.Began.Local().Format("2006-01-02 15:04")))
	}
	for line := range strings.SplitSeq(strings.TrimSpace(t.Prompt), "\n") {
		for _, part := range screen.Wrap(line, max(1, width-2)) {
			lines = append(lines, w.Theme.Style(theme.Accent).Render(w.Theme.Glyphs().Chosen+" ")+
				w.Theme.Style(theme.Strong).Render(part))
		}
	}
	lines = append(lines, "")
	for _, tool := range t.Tools {
		token, name := theme.Dim, tool.Name
		if tool.Failed {
			token, name = theme.Danger, name+" (failed)"
		}
		text := cells.Cut(cells.Clean(name+" "+screen.OneLine(tool.Input, width)), max(1, width-2),
			w.Theme.Glyphs().Ellipsis)
		lines = append(lines, w.Theme.Style(token).Render(w.Theme.Glyphs().Bullet+" "+text))
	}
	if len(t.Tools) > 0 {
		lines = append(lines, "")
	}
	for _, said := range t.Said {
		lines = append(lines, strings.Split(strings.TrimRight(markdown.Render(said, width, w.Theme), "\n"), "\n")...)
		lines = append(lines, "")
	}
	switch {
	case t.Failed != "":
		for _, part := range screen.Wrap("failed: "+screen.OneLine(t.Failed, 4*width), width) {
			lines = append(lines, w.Theme.Style(theme.Danger).Render(part))
		}
	case t.Interrupted:
		lines = append(lines, w.Theme.Style(theme.Warn).Render("interrupted"))
	}
	return lines
}

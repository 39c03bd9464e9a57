// Package command shows what a command of this program printed.
package command

import (
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen shows the output of one command.
type Screen struct {
	line string
	// done is true once the command has ended.
	done   bool
	plain  string
	wrong  string
	reader screen.Reader
}

// New makes the screen of a command, which runs.
func New(line string) *Screen { return &Screen{line: line} }

// Line is the command.
func (s *Screen) Line() string { return s.line }

// Take takes what the command printed; wrong says how it failed.
func (s *Screen) Take(text, wrong string) {
	s.done, s.plain, s.wrong = true, cells.Strip(text), wrong
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\t", "    ")
	}
	s.reader.Text.Set(lines, false, 0)
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "health", Key: "f8", Does: "health: what is wrong with this machine", Alone: true,
	Means: intent.RunCommand{Line: "doctor"},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Reading }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle moves and searches.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if _, copies := wanted.(intent.Copy); copies {
		return intent.CopyText{Text: s.plain}
	}
	return s.reader.Handle(wanted)
}

// View draws the command, then what it printed.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	head, body := r.Top(1)
	title := widget.Line{{Token: theme.Header, Text: "  cupola " + cells.Clean(s.line)}}
	switch {
	case !s.done:
		return append(widget.Bar(w.Theme, head, title, nil),
			widget.List(w.Theme, body, widget.Rows{Selected: -1, Empty: "it runs" + w.Theme.Glyphs().Ellipsis})...)
	case s.wrong != "":
		title = append(title, widget.Span{Token: theme.Danger, Text: "  " + cells.Clean(s.wrong)})
	}
	drawn := s.reader.Text.Draw(w.Theme, body, w.Cache) // it says then which lines show
	return append(widget.Bar(w.Theme, head, title, s.reader.Place()), drawn...)
}

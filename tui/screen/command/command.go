// Package command shows what a command printed: one of this program, or one of the user's own.
package command

import (
	"strings"

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
	// own is the command if it is one of the user's own, with a number from 1.
	own intent.RunOwn
	// done is true once the command has ended, shown once it has printed something.
	done, shown bool
	plain       string
	// end says how it ended, and wrong how it failed.
	end, wrong string
	reader     screen.Reader
}

// New makes the screen of a command, which runs. Its output fits the display; lines to copy are wrapped.
func New(line string) *Screen {
	s := &Screen{line: line}
	s.reader.Text.Wrap = true
	return s
}

// NewOwn makes the screen of a command of the user's own, which runs.
func NewOwn(w intent.RunOwn) *Screen { return &Screen{own: w} }

// Own is the command of the user's own; its number is 0 if it is none.
func (s *Screen) Own() intent.RunOwn { return s.own }

// Line is the command.
func (s *Screen) Line() string { return s.line }

// Take takes what the command printed; wrong says how it failed.
func (s *Screen) Take(text, wrong string) {
	s.done, s.wrong = true, wrong
	s.set(text, false)
}

// Grow takes what an own command has printed so far, and keeps its end on the display if that is there. End says how it
// ended, empty while it runs.
func (s *Screen) Grow(text, end string, failed bool) {
	s.done, s.end = end != "", end
	if failed {
		s.end, s.wrong = "", end
	}
	s.set(text, s.reader.Text.AtEnd())
}

// set shows a text, in which a line starts anew after a carriage return.
func (s *Screen) set(text string, end bool) {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = strings.ReplaceAll(line[strings.LastIndexByte(line, '\r')+1:], "\t", "    ")
	}
	text = strings.Join(lines, "\n")
	s.plain, s.shown = cells.Strip(text)+"\n", text != ""
	s.reader.Text.Set(lines, end, s.reader.Text.Top)
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "health", Key: "f8", Does: "health: what is wrong with this machine", Alone: true,
	Means: intent.RunCommand{Line: "doctor"},
}

// Page opens the address of the server's page.
var Page = screen.Entry{
	Name: "page", Key: "f5", Does: "page: a QR code of its address, for a phone", Alone: true,
	Words: "phone browser web qr serve mobile address", Means: intent.RunCommand{Line: "serve-status --qr"},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope {
	if s.own.ID > 0 && !s.done {
		return &intent.Stopping
	}
	return &intent.Reading
}

// Handle moves and searches; back stops an own command that runs.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch wanted.(type) {
	case intent.Copy:
		return intent.CopyText{Text: s.plain}
	case intent.Back:
		if s.own.ID > 0 && !s.done {
			stop := s.own
			stop.Stop = true
			return stop
		}
	}
	return s.reader.Handle(wanted)
}

// Applies reports whether an intent has something to do with what was printed.
func (s *Screen) Applies(wanted intent.Intent) bool { return s.reader.Applies(wanted) }

// View draws the command, then what it printed.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	head, body := r.Top(1)
	title := widget.Line{{Token: theme.Header, Text: "  cupola " + cells.Clean(s.line)}}
	runs := "it runs" + w.Theme.Glyphs().Ellipsis
	if s.own.ID > 0 {
		title[0].Text = "  " + cells.Clean(s.own.Title)
		runs += " Esc stops it"
	}
	switch {
	case !s.done && !s.shown:
		return append(widget.Bar(w.Theme, head, title, nil),
			screen.Empty(w, body, runs)...)
	case !s.done:
		title = append(title, widget.Span{Token: theme.Dim, Text: "  " + runs})
	case s.wrong != "":
		title = append(title, widget.Span{Token: theme.Danger, Text: "  " + cells.Clean(s.wrong)})
	case s.end != "":
		title = append(title, widget.Span{Token: theme.Good, Text: "  " + s.end})
	}
	drawn := s.reader.Text.Draw(w.Theme, body, w.Cache) // it says then which lines show
	return append(widget.Bar(w.Theme, head, title, s.reader.Place()), drawn...)
}

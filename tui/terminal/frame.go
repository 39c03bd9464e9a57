package terminal

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/widget"
)

// Frame holds the lines of a display, made ready for Show. The zero value is an empty display.
type Frame struct {
	// Lines are as drawn, Sent as written to the terminal.
	Lines, Sent []string
	// Cursor is where the lines first say theme.Here.
	Cursor Cursor
}

// Set takes the lines of another frame, each w cells wide, drawn in a theme. Unchanged lines are not prepared again.
func (f *Frame) Set(t *theme.Theme, w int, lines []string) {
	sent := make([]string, len(lines))
	f.Cursor = NoCursor
	for i, line := range lines {
		before, _, here := strings.Cut(line, theme.Here)
		if here && f.Cursor == NoCursor {
			f.Cursor = Cursor{X: min(cells.Width(before), max(0, w-1)), Y: i}
		}
		if i < len(f.Lines) && f.Lines[i] == line {
			sent[i] = f.Sent[i]
			continue
		}
		if t.Accessible() {
			line = theme.Unlined(strings.ReplaceAll(line, theme.Here, ""))
		}
		sent[i] = widget.FixColumns(line, w)
	}
	f.Lines, f.Sent = lines, sent
}

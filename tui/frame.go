package tui

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/terminal"
	"cupola/tui/widget"
)

// frame holds the lines of the display.
type frame struct {
	// lines are as drawn, sent as written to the terminal.
	lines, sent []string
	// cursor is where the terminal's cursor is put.
	cursor terminal.Cursor
}

// set takes the lines of another frame, each w cells wide. Unchanged lines are not prepared
// again.
func (f *frame) set(t *theme.Theme, w int, lines []string) {
	sent := make([]string, len(lines))
	f.cursor = terminal.NoCursor
	for i, line := range lines {
		before, _, here := strings.Cut(line, theme.Here)
		if here && f.cursor == terminal.NoCursor {
			f.cursor = terminal.Cursor{X: min(cells.Width(before), max(0, w-1)), Y: i}
		}
		if i < len(f.lines) && f.lines[i] == line {
			sent[i] = f.sent[i]
			continue
		}
		if t.Accessible() {
			line = theme.Unlined(strings.ReplaceAll(line, theme.Here, ""))
		}
		sent[i] = widget.FixColumns(line, w)
	}
	f.lines, f.sent = lines, sent
}

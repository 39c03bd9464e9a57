package tui

import "cupola/tui/widget"

// frame holds the lines of the display.
type frame struct {
	// lines are as drawn, sent as written to the terminal.
	lines, sent []string
}

// set takes the lines of another frame, each w cells wide. Unchanged lines are not prepared
// again.
func (f *frame) set(w int, lines []string) {
	sent := make([]string, len(lines))
	for i, line := range lines {
		if i < len(f.lines) && f.lines[i] == line {
			sent[i] = f.sent[i]
		} else {
			sent[i] = widget.FixColumns(line, w)
		}
	}
	f.lines, f.sent = lines, sent
}

package tui

import "cupola/tui/widget"

// frame is what the display shows.
type frame struct {
	// lines are as they are measured, sent as the terminal gets them.
	lines, sent []string
}

// set takes the lines of another frame, each w cells wide. Lines that stayed the same
// are not made ready again.
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

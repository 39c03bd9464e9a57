package tui

import "cupola/tui/widget"

// picture is what the display shows.
type picture struct {
	// lines are as they are measured, sent as the terminal gets them.
	lines, sent []string
}

// set takes the lines of another picture, each w cells wide. Lines that stayed the same
// are not made ready again.
func (p *picture) set(w int, lines []string) {
	sent := make([]string, len(lines))
	for i, line := range lines {
		if i < len(p.lines) && p.lines[i] == line {
			sent[i] = p.sent[i]
		} else {
			sent[i] = widget.FixColumns(line, w)
		}
	}
	p.lines, p.sent = lines, sent
}

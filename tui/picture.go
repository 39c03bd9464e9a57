package tui

import "cupola/tui/widget"

// picture is what the display shows.
type picture struct {
	// lines are as they are measured, pinned as a terminal is sent them.
	lines, pinned []string
}

// put takes the lines of another picture, each w cells wide. Those that stayed the
// same stay pinned.
func (p *picture) put(w int, lines []string) {
	pinned := make([]string, len(lines))
	for i, line := range lines {
		if i < len(p.lines) && p.lines[i] == line {
			pinned[i] = p.pinned[i]
		} else {
			pinned[i] = widget.FixColumns(line, w)
		}
	}
	p.lines, p.pinned = lines, pinned
}

package output

import (
	"strings"

	"cupola/core"
	"cupola/core/fleet/terminal"
)

// paneText is the text of a capture.
type paneText struct {
	// lines have no trailing blank ones; above of them are history.
	lines []string
	above int
	// spoken are the lines with the program's words, and places their indexes in lines.
	spoken  []string
	indexes []int
	// mark is the place after them.
	mark mark
}

// textOf parses a capture. With strip, lines holds only the program's words.
func (r *Reader) textOf(pane *core.Pane, screen *core.Screen, strip bool) paneText {
	lines, above := written(screen)
	text := paneText{lines: lines, above: above}
	kind := r.opts.Observer.KindOf(pane)
	if kind == nil || !kind.Readable() {
		text.spoken = lines
		for i := range lines {
			text.indexes = append(text.indexes, i)
		}
		text.mark = markAfter(pane.ID, lines)
		return text
	}
	reading := kind.Read(screen)
	words := reading.Spoken()
	for i, line := range lines {
		if i >= len(words) || !words[i] {
			continue
		}
		text.spoken = append(text.spoken, reading.Beside(terminal.Attributes().ReplaceAllString(line, "")))
		text.indexes = append(text.indexes, i)
	}
	text.spoken = withoutBlankEnd(text.spoken)
	text.indexes = text.indexes[:len(text.spoken)]
	text.mark = markAfter(pane.ID, text.spoken)
	if strip {
		text.strip()
	}
	return text
}

// strip reduces lines to the program's words, with consecutive blank lines and rules as one blank line.
// Coloured lines keep their colours and margins.
func (t *paneText) strip() {
	kept, above := make([]string, 0, len(t.spoken)), 0
	for i, index := range t.indexes {
		line := t.lines[index]
		bare := terminal.Attributes().ReplaceAllString(line, "")
		if bare == line {
			line = t.spoken[i]
		}
		t.indexes[i] = len(kept)
		if strings.Trim(bare, "─━▔▁═ \t") == "" {
			if len(kept) == 0 || kept[len(kept)-1] == "" {
				continue
			}
			line = ""
		}
		if index < t.above {
			above++
		}
		kept = append(kept, line)
	}
	t.lines = withoutBlankEnd(kept)
	t.above = min(above, len(t.lines))
	for i := range t.indexes {
		t.indexes[i] = min(t.indexes[i], len(t.lines))
	}
}

func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

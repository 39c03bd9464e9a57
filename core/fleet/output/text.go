package output

import (
	"strings"

	"cupola/core"
	"cupola/core/fleet/terminal"
)

// paneText is what a capture holds.
type paneText struct {
	// lines are without trailing blank ones; above of them are history.
	lines []string
	above int
	// spoken are those of the lines that are the program's words, and places where
	// among lines each stands.
	spoken []string
	places []int
	// mark is the place after them.
	mark mark
}

// textOf reads a capture. With strip, lines are the program's words only.
func (r *Reader) textOf(pane *core.Pane, screen *core.Screen, strip bool) paneText {
	lines, above := written(screen)
	text := paneText{lines: lines, above: above}
	kind := r.Observer.KindOf(pane)
	if kind == nil || !kind.Readable() {
		text.spoken = lines
		for i := range lines {
			text.places = append(text.places, i)
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
		text.places = append(text.places, i)
	}
	text.spoken = withoutBlankEnd(text.spoken)
	text.places = text.places[:len(text.spoken)]
	text.mark = markAfter(pane.ID, text.spoken)
	if strip {
		text.strip()
	}
	return text
}

// strip leaves only the program's words in lines, where blank lines and rules
// that follow one another are one blank line. Those with colours keep them, and
// what is beside them.
func (t *paneText) strip() {
	kept, above := make([]string, 0, len(t.spoken)), 0
	for i, place := range t.places {
		line := t.lines[place]
		bare := terminal.Attributes().ReplaceAllString(line, "")
		if bare == line {
			line = t.spoken[i]
		}
		t.places[i] = len(kept)
		if strings.Trim(bare, "─━▔▁═ \t") == "" {
			if len(kept) == 0 || kept[len(kept)-1] == "" {
				continue
			}
			line = ""
		}
		if place < t.above {
			above++
		}
		kept = append(kept, line)
	}
	t.lines = withoutBlankEnd(kept)
	t.above = min(above, len(t.lines))
	for i := range t.places {
		t.places[i] = min(t.places[i], len(t.lines))
	}
}

func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

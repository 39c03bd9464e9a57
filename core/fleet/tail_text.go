package fleet

import "cupola/core"

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
func (o *observer) textOf(pane *core.Pane, screen *core.Screen, strip bool) paneText {
	lines, above := written(screen)
	text := paneText{lines: lines, above: above}
	kind := o.kindOf(pane)
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
		text.spoken = append(text.spoken, reading.Beside(attributes().ReplaceAllString(line, "")))
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

// strip leaves only the program's words in lines. Those with colours keep them,
// and what stands beside them.
func (t *paneText) strip() {
	kept, above := make([]string, 0, len(t.spoken)), 0
	for i, place := range t.places {
		line := t.lines[place]
		if attributes().ReplaceAllString(line, "") == line {
			line = t.spoken[i]
		}
		if place < t.above {
			above++
		}
		kept, t.places[i] = append(kept, line), i
	}
	t.lines, t.above = kept, above
}

func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

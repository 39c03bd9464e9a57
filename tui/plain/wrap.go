package plain

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/core/text/report"
)

// wrapped returns a line in as many as the terminal needs, divided between words. What is to be copied is not divided,
// and what follows begins below the first word.
func (p *Printer) wrapped(line report.Line) []report.Line {
	var clean report.Line
	width := 0
	for _, cell := range line {
		cell.Text = cells.Clean(cell.Text)
		clean, width = append(clean, cell), width+cells.Width(cell.Text)
	}
	if p.Width == 0 || width <= p.Width || len(clean) == 0 {
		return []report.Line{clean}
	}
	first := clean[0].Text
	indent := strings.Repeat(" ", min(len(first)-len(strings.TrimLeft(first, " ")), p.Width/2))
	var lines []report.Line
	var now report.Line
	used := 0
	for _, cell := range clean {
		started := false // true once a part of the cell is in the line
		for _, word := range wordsOf(cell) {
			if used > 0 && used+cells.Width(strings.TrimRight(word, " ")) > p.Width {
				now[len(now)-1].Text = strings.TrimRight(now[len(now)-1].Text, " ")
				lines, now, used = append(lines, now), report.Line{report.Text(indent)}, len(indent)
				word, started = strings.TrimLeft(word, " "), false
			}
			if used += cells.Width(word); started {
				now[len(now)-1].Text += word
				continue
			}
			now, started = append(now, report.Cell{Text: word, Tone: cell.Tone}), true
		}
	}
	return append(lines, now)
}

// wordsOf divides a cell behind its blanks; a command stays whole.
func wordsOf(cell report.Cell) []string {
	if cell.Tone == report.Code {
		return []string{cell.Text}
	}
	return strings.SplitAfter(cell.Text, " ")
}

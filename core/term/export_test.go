package term

// Pens returns how each cell of a line is drawn, up to the last that is no blank: tmux does not say how blanks at the
// end are styled. It is empty for cells behind a wide character.
func Pens(t *Terminal, y int) []string {
	cells := t.e.lines[y].cells
	for len(cells) > 0 && (cells[len(cells)-1].char == 0 || cells[len(cells)-1].char == ' ') {
		cells = cells[:len(cells)-1]
	}
	pens := make([]string, len(cells))
	for i := range cells {
		if !cells[i].padding {
			pens[i] = cells[i].pen().sgr(t.e.lineColours)
		}
	}
	return pens
}

// Within reports whether a terminal is within a sequence or a character.
func Within(t *Terminal) bool { return t.e.parser.within() }

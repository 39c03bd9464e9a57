package term

import (
	"strconv"
	"unicode/utf8"

	"cupola/core/term/cells"
)

func itoa(n int) string { return strconv.Itoa(n) }

// control does what a control character says.
func (t *emulator) control(b byte) {
	switch b {
	case 0x07:
		t.say(Bell, "")
	case '\b':
		switch {
		case t.x > 0:
			t.x--
		case t.y > 0 && t.lines[t.y-1].wrapped:
			t.x, t.y = t.width-1, t.y-1
		}
	case '\t':
		for t.x < t.width-1 {
			t.x++
			if t.tabs[t.x] {
				break
			}
		}
	case '\n', '\v', '\f':
		t.lineFeed(t.pen.bg)
		if t.modes.newLine {
			t.x = 0
		}
	case '\r':
		t.x = 0
	case 0x0e:
		t.shift = true
	case 0x0f:
		t.shift = false
	}
	t.last = 0
}

// lineFeed goes a line down, and scrolls at the end of the region.
func (t *emulator) lineFeed(bg colour) {
	switch {
	case t.y == t.bottom:
		t.scrollUp(1, bg)
	case t.y < t.height-1:
		t.y++
	}
}

// scrollUp moves the region up by n lines. On the main screen what leaves it is kept.
func (t *emulator) scrollUp(n int, bg colour) {
	n = min(n, t.bottom-t.top+1)
	if t.main == nil {
		for i := range n {
			t.history.add(&t.clusters, &t.lines[t.top+i])
		}
	}
	t.moveUp(t.top, t.bottom, n, bg)
}

// moveUp takes n lines out at the top of some, and adds empty ones below.
func (t *emulator) moveUp(top, bottom, n int, bg colour) {
	n = min(n, bottom-top+1)
	for range n {
		gone := t.lines[top]
		copy(t.lines[top:bottom], t.lines[top+1:bottom+1])
		t.clear(&gone, 0, t.width, bg)
		gone.wrapped = false
		t.lines[bottom] = gone
	}
}

// moveDown takes n lines out at the bottom of some, and adds empty ones above.
func (t *emulator) moveDown(top, bottom, n int, bg colour) {
	n = min(n, bottom-top+1)
	for range n {
		gone := t.lines[bottom]
		copy(t.lines[top+1:bottom+1], t.lines[top:bottom])
		t.clear(&gone, 0, t.width, bg)
		gone.wrapped = false
		t.lines[top] = gone
	}
}

// row returns the cells of the cursor's line, to be written.
func (t *emulator) row() []cell {
	t.lines[t.y].written = true
	return t.lines[t.y].cells
}

// clear empties cells of a line. One without anything written is left, so that many resets of a screen cost little.
func (t *emulator) clear(l *line, from, to int, bg colour) {
	if bg == own && !l.written {
		return
	}
	l.written = bg != own || from > 0 || to < len(l.cells)
	empty := blank(bg)
	for i := max(0, from); i < min(to, len(l.cells)); i++ {
		l.cells[i] = empty
	}
}

// putASCII writes printable ASCII characters.
func (t *emulator) putASCII(p []byte) {
	if t.sets[t.set()] || t.modes.insert {
		for _, b := range p {
			t.put(rune(b))
		}
		return
	}
	for len(p) > 0 {
		if t.x >= t.width {
			if !t.wrap(1) {
				t.x = t.width - 1
			}
		}
		row := t.row()
		n := min(len(p), t.width-t.x)
		one := cell{fg: t.pen.fg, bg: t.pen.bg, attr: t.pen.attr, width: 1}
		t.split(t.x, n)
		for i, b := range p[:n] {
			one.char = int32(b)
			row[t.x+i] = one
		}
		t.x += n
		t.last = rune(p[n-1])
		p = p[n:]
		if t.x >= t.width && !t.modes.wrap {
			t.x = t.width - 1
		}
	}
}

// wrap goes to the next line if a character of some width has no room in this one. It reports false if it does not
// wrap.
func (t *emulator) wrap(width int) bool {
	if t.x <= t.width-width {
		return true
	}
	if !t.modes.wrap {
		return false
	}
	t.lines[t.y].wrapped = true
	t.lineFeed(own)
	t.x = 0
	return true
}

// split empties what is left of wide characters that cells from x on, which are overwritten, are parts of.
func (t *emulator) split(x, n int) {
	row := t.row()
	if x < len(row) && row[x].padding {
		at := x
		for at > 0 && row[at].padding {
			row[at] = blank(own)
			at--
		}
		row[at] = blank(own)
	}
	for at := x + n; at < len(row) && row[at].padding; at++ {
		row[at] = blank(own)
	}
}

// set is the number of the character set that is used.
func (t *emulator) set() int {
	if t.shift {
		return 1
	}
	return 0
}

// put writes a character.
func (t *emulator) put(r rune) {
	if t.sets[t.set()] && r < utf8.RuneSelf {
		r = lineDrawing(r)
	}
	width := widthOf(r)
	if t.joins(r, width) {
		return
	}
	if width == 0 || width > t.width {
		return
	}
	if t.modes.insert { // also where the character then goes to the next line
		t.insertBlanks(width, own)
	}
	if !t.wrap(width) && t.x > t.width-width {
		return
	}
	row := t.row()
	t.split(t.x, width)
	row[t.x] = cell{char: r, fg: t.pen.fg, bg: t.pen.bg, attr: t.pen.attr, width: uint8(width)}
	for i := 1; i < width; i++ {
		row[t.x+i] = cell{fg: t.pen.fg, bg: t.pen.bg, attr: t.pen.attr, padding: true}
	}
	t.last = r
	if t.x += width; t.x >= t.width && !t.modes.wrap {
		t.x = t.width - 1
	}
}

// widthOf is how many cells a character takes.
func widthOf(r rune) int {
	if r < 0x300 {
		if r < 0xa0 && r >= 0x7f || r == 0xad {
			return 0
		}
		return 1
	}
	return cells.Width(string(r))
}

// insertBlanks moves what is right of the cursor to the right.
func (t *emulator) insertBlanks(n int, bg colour) {
	row := t.row()
	if t.x >= t.width {
		return
	}
	n = min(n, t.width-t.x)
	copy(row[t.x+n:], row[t.x:])
	t.clear(&t.lines[t.y], t.x, t.x+n, bg)
}

// lineDrawing is a character of the set of DEC for drawing lines.
func lineDrawing(r rune) rune {
	const first = '`'
	drawn := []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
	if i := int(r - first); i >= 0 && i < len(drawn) {
		return drawn[i]
	}
	return r
}

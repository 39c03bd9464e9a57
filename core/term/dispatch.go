package term

// escape does what ESC and a byte say.
func (t *emulator) escape(b byte) {
	switch b {
	case '7':
		t.save()
	case '8':
		t.restore()
	case 'D':
		t.lineFeed(t.pen.bg)
	case 'E':
		t.x = 0
		t.lineFeed(t.pen.bg)
	case 'H':
		if t.x < t.width {
			t.tabs[t.x] = true
		}
	case 'M':
		if t.y == t.top {
			t.moveDown(t.top, t.bottom, 1, t.pen.bg)
		} else if t.y > 0 {
			t.y--
		}
	case 'c':
		t.erasePast(own)
		t.reset()
	case '=':
		t.modes.keypad = true
	case '>':
		t.modes.keypad = false
	}
	t.last = 0
}

// escapeWith does what ESC, a byte and another one say.
func (t *emulator) escapeWith(between, b byte) {
	switch {
	case between == '(' || between == ')':
		t.sets[between-'('] = b == '0'
	case between == '#' && b == '8':
		t.alignment()
	}
	t.last = 0
}

// alignment fills the screen with the letter E.
func (t *emulator) alignment() {
	t.x, t.y, t.top, t.bottom = 0, 0, 0, t.height-1
	for i := range t.lines {
		t.lines[i].written = true
		for j := range t.lines[i].cells {
			t.lines[i].cells[j] = cell{char: 'E', width: 1}
		}
	}
}

func (t *emulator) save() {
	t.saved = savedCursor{x: t.x, y: t.y, pen: t.pen, origin: t.modes.origin, shift: t.shift, sets: t.sets}
}

func (t *emulator) restore() {
	s := t.saved
	t.x, t.y = min(s.x, t.width-1), min(s.y, t.height-1)
	t.pen, t.modes.origin, t.shift, t.sets = s.pen, s.origin, s.shift, s.sets
}

// moveTo moves the cursor; lines count from the region if the program wants that.
func (t *emulator) moveTo(x, y int) {
	if t.modes.origin {
		y = min(y, t.bottom-t.top) + t.top
	}
	t.x, t.y = max(0, min(x, t.width-1)), max(0, min(y, t.height-1))
}

// dispatch does what a control sequence with a final byte says.
func (t *emulator) dispatch(final byte) {
	p := &t.parser
	last := t.last
	t.last = 0
	switch {
	case p.prefix == 0 && p.intermediate == 0:
		if final == 'b' {
			t.repeat(last)
			return
		}
		if !t.move(final) && !t.edit(final) {
			t.report(final)
		}
	case p.prefix == '?' && p.intermediate == 0 && (final == 'h' || final == 'l'):
		for i := range p.params {
			t.setPrivate(p.param(i, 0, 0), final == 'h')
		}
	case p.intermediate == ' ' && final == 'q':
		t.modes.shape = p.param(0, 0, 0)
	case p.intermediate == '!' && final == 'p':
		t.softReset()
	default:
		t.reportPrivate(final)
	}
}

// softReset is DECSTR.
func (t *emulator) softReset() {
	t.modes.insert, t.modes.origin, t.modes.wrap, t.modes.cursor = false, false, true, true
	t.modes.cursorKeys, t.modes.keypad = false, false
	t.top, t.bottom, t.pen, t.saved = 0, t.height-1, pen{}, savedCursor{}
	t.shift, t.sets = false, [2]bool{}
}

// repeat writes the last character again, up to the end of the line.
func (t *emulator) repeat(last rune) {
	if last == 0 {
		return
	}
	for range min(t.parser.param(0, 1, 1), t.width-t.x) {
		t.put(last)
	}
}

// move moves the cursor; it reports false for a final byte that does something else.
func (t *emulator) move(final byte) bool {
	n := t.parser.param(0, 1, 1)
	switch final {
	case 'A':
		t.up(n)
	case 'B', 'e':
		t.down(n)
	case 'C', 'a':
		t.x = min(t.x+n, t.width-1)
	case 'D':
		t.x = max(0, t.x-n)
	case 'E':
		t.x = 0
		t.down(n)
	case 'F':
		t.x = 0
		t.up(n)
	case 'G', '`':
		t.x = min(n-1, t.width-1)
	case 'H', 'f':
		t.moveTo(t.parser.param(1, 1, 1)-1, n-1)
	case 'I':
		for range min(n, t.width) {
			t.control('\t')
		}
	case 'Z':
		t.tabBack(n)
	case 'd':
		t.moveTo(t.x, n-1)
	case 's':
		t.save()
	case 'u':
		t.restore()
	default:
		return false
	}
	return true
}

func (t *emulator) up(n int) {
	least := 0
	if t.y >= t.top {
		least = t.top
	}
	t.x, t.y = min(t.x, t.width-1), max(least, t.y-n)
}

func (t *emulator) down(n int) {
	most := t.height - 1
	if t.y <= t.bottom {
		most = t.bottom
	}
	t.x, t.y = min(t.x, t.width-1), min(most, t.y+n)
}

func (t *emulator) tabBack(n int) {
	for range min(n, t.width) {
		for t.x > 0 {
			t.x--
			if t.x < t.width && t.tabs[t.x] {
				break
			}
		}
	}
}

// edit changes cells, modes and the pen; it reports false for a final byte that does something else.
func (t *emulator) edit(final byte) bool {
	p, bg := &t.parser, t.pen.bg
	n := p.param(0, 1, 1)
	switch final {
	case '@':
		t.insertBlanks(n, bg)
	case 'P':
		t.deleteCells(n, bg)
	case 'X':
		if t.x < t.width {
			t.clear(&t.lines[t.y], t.x, t.x+n, bg)
		}
	case 'J':
		t.eraseScreen(p.param(0, 0, 0), bg)
	case 'K':
		t.eraseLine(p.param(0, 0, 0), bg)
	case 'L', 'M':
		t.shiftLines(n, final == 'L', bg)
	case 'S':
		t.scrollUp(n, bg)
	case 'T':
		t.moveDown(t.top, t.bottom, n, bg)
	case 'r':
		t.region(p.param(0, 1, 1)-1, p.param(1, t.height, 1)-1)
	case 'g':
		switch p.param(0, 0, 0) {
		case 0:
			if t.x < t.width {
				t.tabs[t.x] = false
			}
		case 3:
			clear(t.tabs)
		}
	case 'h', 'l':
		for i := range p.params {
			switch p.param(i, 0, 0) {
			case 4:
				t.modes.insert = final == 'h'
			case 20:
				t.modes.newLine = final == 'h'
			}
		}
	case 'm':
		t.sgr()
	default:
		return false
	}
	return true
}

// region sets which lines scroll. One of a single line is none.
func (t *emulator) region(top, bottom int) {
	top, bottom = min(top, t.height-1), min(bottom, t.height-1)
	if top >= bottom {
		return
	}
	t.top, t.bottom, t.x, t.y = top, bottom, 0, 0
}

// deleteCells takes cells out at the cursor.
func (t *emulator) deleteCells(n int, bg colour) {
	if t.x >= t.width {
		return
	}
	row := t.row()
	n = min(n, t.width-t.x)
	copy(row[t.x:], row[t.x+n:])
	t.clear(&t.lines[t.y], t.width-n, t.width, bg)
}

// shiftLines inserts or deletes lines at the cursor, within the region if it is there.
func (t *emulator) shiftLines(n int, insert bool, bg colour) {
	bottom := t.bottom
	if t.y < t.top || t.y > t.bottom {
		if bottom = t.height - 1; insert && n > bottom-t.y {
			return // as in tmux, where nothing would be moved
		}
	}
	if insert {
		t.moveDown(t.y, bottom, n, bg)
	} else {
		t.moveUp(t.y, bottom, n, bg)
	}
}

// eraseLine empties the line of the cursor: what is behind it, what is before it, or all.
func (t *emulator) eraseLine(what int, bg colour) {
	l := &t.lines[t.y]
	switch what {
	case 0:
		if t.x < t.width {
			t.clear(l, t.x, t.width, bg)
		}
	case 1:
		t.clear(l, 0, t.x+1, bg)
	case 2:
		t.clear(l, 0, t.width, bg)
	}
}

// eraseScreen empties the screen: what is behind the cursor, what is before it, all, or what scrolled off. On the main
// screen what is emptied from the top on is kept, as if it had scrolled off.
func (t *emulator) eraseScreen(what int, bg colour) {
	switch {
	case what == 3:
		limit := t.history.limit
		t.history = history{limit: limit}
	case what == 2, what == 0 && t.x == 0 && t.y == 0:
		t.erasePast(bg)
	case what == 0:
		t.eraseLine(0, bg)
		for i := t.y + 1; i < t.height; i++ {
			t.clear(&t.lines[i], 0, t.width, bg)
		}
	case what == 1:
		for i := range t.y {
			t.clear(&t.lines[i], 0, t.width, bg)
		}
		t.eraseLine(1, bg)
	}
}

// erasePast empties the screen. On the main one the lines up to the last with text are kept.
func (t *emulator) erasePast(bg colour) {
	if t.main == nil {
		used := t.height
		for used > 0 && isEmpty(&t.lines[used-1]) {
			used--
		}
		for i := range used {
			t.history.add(&t.clusters, &t.lines[i])
		}
	}
	for i := range t.lines {
		t.clear(&t.lines[i], 0, t.width, bg)
		t.lines[i].wrapped = false
	}
	t.erased = true
}

func isEmpty(l *line) bool {
	if !l.written {
		return true
	}
	for i := range l.cells {
		if l.cells[i].char != 0 {
			return false
		}
	}
	return true
}

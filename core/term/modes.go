package term

import "strings"

// modes are the settings of a terminal that a program switches.
type modes struct {
	wrap, cursor, insert, origin, newLine bool
	// cursorKeys and keypad are the application forms of keys, paste and focus that these are reported.
	cursorKeys, keypad, paste, focus bool
	// mouse is the number of the mouse mode that is on, encoding the number of the mode that sets the form of its
	// reports; 0 for none.
	mouse, encoding int
	// batch is true while the program draws what shall show at once (mode 2026).
	batch bool
	// clusters is true if the program wants widths by clusters (mode 2027).
	clusters bool
	// shape is the shape of the cursor, as DECSCUSR numbers it.
	shape int
	// keys are the flags of the keyboard protocol of kitty, the last ones that were pushed at the end.
	keys []int
}

var usualModes = modes{wrap: true, cursor: true}

// private are the private modes that are only switched.
func (m *modes) private(n int) *bool {
	switch n {
	case 1:
		return &m.cursorKeys
	case 6:
		return &m.origin
	case 7:
		return &m.wrap
	case 25:
		return &m.cursor
	case 66:
		return &m.keypad
	case 1004:
		return &m.focus
	case 2004:
		return &m.paste
	case 2026:
		return &m.batch
	case 2027:
		return &m.clusters
	}
	return nil
}

// setPrivate switches a private mode.
func (t *emulator) setPrivate(n int, on bool) {
	switch n {
	case 3: // the width stays, and the screen is emptied as by a terminal that changes it
		t.moveTo(0, 0)
		t.erasePast(t.pen.bg)
		return
	case 6:
		t.modes.origin = on
		t.moveTo(0, 0)
		return
	case 47, 1047, 1049:
		t.alternate(on, n == 1049)
		return
	case 9, 1000, 1001, 1002, 1003:
		t.modes.mouse = choose(on, n)
		return
	case 1005, 1006, 1015, 1016:
		t.modes.encoding = choose(on, n)
		return
	case 1048:
		if on {
			t.save()
		} else {
			t.restore()
		}
		return
	}
	if mode := t.modes.private(n); mode != nil {
		*mode = on
	}
}

func choose(on bool, n int) int {
	if on {
		return n
	}
	return 0
}

// hasPrivate reports whether a private mode is on; known is false for one that is not known.
func (t *emulator) hasPrivate(n int) (on, known bool) {
	switch n {
	case 47, 1047, 1049:
		return t.main != nil, true
	case 9, 1000, 1001, 1002, 1003:
		return t.modes.mouse == n, true
	case 1005, 1006, 1015, 1016:
		return t.modes.encoding == n, true
	}
	mode := t.modes.private(n)
	return mode != nil && *mode, mode != nil
}

// alternate shows the alternate screen, empty, or the main one again. With cursor the cursor is kept for the way back,
// and comes back as it was kept last also where the main screen shows already.
func (t *emulator) alternate(on, cursor bool) {
	if on {
		if t.main != nil {
			return
		}
		if cursor {
			t.kept = &keptCursor{t.x, t.y, t.pen}
		}
		t.erased, t.mainErased = true, t.erased
		t.main, t.lines = t.lines, make([]line, t.height)
		for i := range t.lines {
			t.lines[i] = t.newLine(own)
		}
		return
	}
	if cursor && t.kept != nil {
		t.x, t.y, t.pen = t.kept.x, t.kept.y, t.kept.pen
	}
	if t.main != nil {
		t.lines, t.main, t.erased = t.main, nil, t.mainErased
	}
	t.x, t.y = min(t.x, t.width-1), min(t.y, t.height-1)
}

// sequences switch another terminal to the same modes.
func (m *modes) sequences() string {
	var b strings.Builder
	private := func(n int, on, usual bool) {
		if on != usual {
			b.WriteString("\x1b[?" + itoa(n) + map[bool]string{true: "h", false: "l"}[on])
		}
	}
	for _, n := range []int{1, 25, 1004, 2004, 2027} {
		private(n, *m.private(n), *(&modes{cursor: true}).private(n))
	}
	private(7, m.wrap, true)
	private(6, m.origin, false)
	if m.keypad {
		b.WriteString("\x1b=")
	}
	if m.insert {
		b.WriteString("\x1b[4h")
	}
	if m.newLine {
		b.WriteString("\x1b[20h")
	}
	for _, n := range []int{m.mouse, m.encoding} {
		if n != 0 {
			private(n, true, false)
		}
	}
	if m.shape != 0 {
		b.WriteString("\x1b[" + itoa(m.shape) + " q")
	}
	for _, flags := range m.keys {
		b.WriteString("\x1b[>" + itoa(flags) + "u")
	}
	return b.String()
}

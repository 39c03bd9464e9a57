package term

import "strings"

// Extent is the part of a terminal that is read. The zero value is the plain text of the screen.
type Extent struct {
	// History is how many lines above the screen are read too. The alternate screen has none.
	History int
	// Styled keeps the sequences that style the text; Joined makes one line of lines that wrapped.
	Styled, Joined bool
}

// Text returns what a terminal shows, from top to bottom and without blanks at the ends of lines. visible counts the
// lines at the end that are the screen's.
func (t *Terminal) Text(what Extent) (lines []string, visible int) {
	if what.History > 0 && t.e.main == nil {
		lines = joinIf(what.Joined, t.e.history.last(what.History, what.Styled, t.e.lineColours))
	}
	screen := make([]row, t.e.height)
	for i := range t.e.lines {
		l := &t.e.lines[i]
		screen[i].wrapped = l.wrapped
		if what.Styled {
			screen[i].text = t.e.styledLine(l.cells, t.e.clusters.text)
		} else {
			screen[i].text = t.e.plainLine(l.cells)
		}
	}
	shown := joinIf(what.Joined, screen)
	return append(lines, shown...), len(shown)
}

// row is the text of a line; wrapped is true if it continues in the next one.
type row struct {
	text    string
	wrapped bool
}

// joinIf returns the texts of rows, with those that wrapped joined if that is wanted.
func joinIf(joined bool, rows []row) []string {
	lines := make([]string, 0, len(rows))
	goesOn := false
	for _, r := range rows {
		if goesOn {
			lines[len(lines)-1] += r.text
		} else {
			lines = append(lines, r.text)
		}
		goesOn = joined && r.wrapped
	}
	return lines
}

// plainLine is the text of cells without blanks at the end.
func (t *emulator) plainLine(cells []cell) string { return strings.TrimRight(t.textOf(cells), " ") }

// Modes are the modes that a program has switched and that change how its user's keys, pastes and clicks are sent to
// it.
type Modes struct {
	// Paste is true if it takes pasted text in brackets, Focus if it wants to hear of the focus.
	Paste, Focus bool
	// CursorKeys and Keypad are true if it wants the application forms of these keys.
	CursorKeys, Keypad bool
	// Mouse is the private mode in which it takes the mouse, 0 for none.
	Mouse int
	// KeyFlags are the flags of the keyboard protocol of kitty that hold.
	KeyFlags int
	// Drawing is true while it draws what shall show at once (mode 2026).
	Drawing bool
}

// Modes returns what the program has switched.
func (t *Terminal) Modes() Modes {
	m := &t.e.modes
	return Modes{
		Paste: m.paste, Focus: m.focus, CursorKeys: m.cursorKeys, Keypad: m.keypad, Mouse: m.mouse,
		KeyFlags: m.keyFlags(), Drawing: m.batch,
	}
}

package term

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// tabWidth is how far apart tab stops are at first.
const tabWidth = 8

// usualHistory is how many lines of the main screen are kept that scrolled off it, unless Options say otherwise.
const usualHistory = 2000

// line is a line of the screen.
type line struct {
	cells []cell
	// wrapped is true if its text continues in the next line.
	wrapped bool
	// written is true if a cell may be something else than a blank without a background.
	written bool
}

// savedCursor is a saved cursor: its position, pen and character sets.
type savedCursor struct {
	x, y   int
	pen    pen
	origin bool
	shift  bool
	sets   [2]bool
}

// emulator is the state of a terminal, and what sequences do to it.
type emulator struct {
	// events, answers and passed are the functions given to New and its options; nil for none.
	events  func(Event)
	answers func([]byte)
	passed  func([]byte)
	relay   relay

	parser parser

	width, height int
	lines         []line
	x, y          int
	pen           pen
	// top and bottom are the first and the last line of the region that scrolls.
	top, bottom int
	tabs        []bool
	modes       modes
	saved       savedCursor
	// main is the main screen while the alternate one shows; nil while it does not. kept is the cursor for the way
	// back; nil for none.
	main []line
	kept *keptCursor
	// erased is true once the whole visible screen was emptied; mainErased says the same of the main screen while the
	// alternate one shows.
	erased, mainErased bool
	// shift is true while G1 is used; sets are true for a set of line-drawing characters.
	shift bool
	sets  [2]bool
	// last is the character that REP repeats; 0 for none.
	last rune

	title    string
	clusters clusters
	history  history
	// lineColours are the colours of underlines.
	lineColours lineColours
}

// keptCursor is where the cursor was when the alternate screen began to show.
type keptCursor struct {
	x, y int
	pen  pen
}

// reset is the state at the beginning, with what scrolled off kept.
func (t *emulator) reset() {
	if len(t.lines) != t.height {
		t.lines = make([]line, t.height)
	}
	for i := range t.lines {
		if l := &t.lines[i]; len(l.cells) == t.width {
			t.clear(l, 0, t.width, own)
			l.wrapped = false
		} else {
			*l = t.newLine(own)
		}
	}
	t.x, t.y, t.pen, t.top, t.bottom = 0, 0, pen{}, 0, t.height-1
	t.modes = usualModes
	t.saved, t.shift, t.sets, t.last = savedCursor{}, false, [2]bool{}, 0
	t.resetTabs()
}

func (t *emulator) resetTabs() {
	t.tabs = make([]bool, t.width)
	for i := tabWidth; i < t.width; i += tabWidth {
		t.tabs[i] = true
	}
}

func (t *emulator) newLine(bg colour) line {
	l := line{cells: make([]cell, t.width), written: bg != own}
	empty := blank(bg)
	for i := range l.cells {
		l.cells[i] = empty
	}
	return l
}

// textOf is the text of cells.
func (t *emulator) textOf(cells []cell) string {
	var b strings.Builder
	for i := range cells {
		if !cells[i].padding {
			b.WriteString(t.clusters.text(cells[i].char))
		}
	}
	return b.String()
}

// styledLine is a line with the sequences that style it, each character as textOf has it.
func (t *emulator) styledLine(cells []cell, textOf func(char int32) string) string {
	end := len(cells)
	for end > 0 && cells[end-1].char == 0 && cells[end-1].pen() == (pen{}) {
		end--
	}
	var b strings.Builder
	now := pen{}
	for i := range cells[:end] {
		if cells[i].padding {
			continue
		}
		if p := cells[i].pen(); p != now {
			b.WriteString(p.sgr(t.lineColours))
			now = p
		}
		b.WriteString(textOf(cells[i].char))
	}
	if now != (pen{}) {
		b.WriteString(pen{}.sgr(nil))
	}
	return b.String()
}

// drawn is a character as a terminal draws it as one, whatever is before it: with the mode 2027 for what is one only
// there.
func (t *emulator) drawn(char int32) string {
	text := t.clusters.text(char)
	if char >= 0 {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	for before, rest := first, text[size:]; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		if widthOf(r) > 0 && !joinsAlways(before, r, widthOf(first)) {
			return text[:size] + "\x1b[?2027h" + text[size:] + "\x1b[?2027l"
		}
		before, rest = r, rest[n:]
	}
	return text
}

// redraw writes what makes another terminal of the same size show the same.
func (t *emulator) redraw() string {
	var b strings.Builder
	b.WriteString("\x1bc")
	if t.main != nil {
		b.WriteString("\x1b[?1049h")
	}
	for i := range t.lines {
		b.WriteString("\x1b[" + itoa(i+1) + ";1H" + t.styledLine(t.lines[i].cells, t.drawn))
	}
	b.WriteString(t.settings())
	b.WriteString(t.pen.sgr(t.lineColours))
	x, y := min(t.x, t.width-1), t.y
	if t.modes.origin {
		y -= t.top
	}
	b.WriteString("\x1b[" + itoa(y+1) + ";" + itoa(x+1) + "H")
	return b.String()
}

// setup writes what gives another terminal of the same size the modes and the title of this one, but no text.
func (t *emulator) setup() string {
	if t.main != nil {
		return "\x1b[?1049h" + t.settings()
	}
	return t.settings()
}

// settings are the sequences for what a program has set, beside the screen that shows and the pen.
func (t *emulator) settings() string {
	var b strings.Builder
	b.WriteString("\x1b[" + itoa(t.top+1) + ";" + itoa(t.bottom+1) + "r")
	b.WriteString(t.modes.sequences())
	for i, drawing := range t.sets {
		if drawing {
			b.WriteString("\x1b" + string("()"[i]) + "0")
		}
	}
	if t.shift {
		b.WriteByte(0x0e)
	}
	if t.title != "" {
		b.WriteString("\x1b]2;" + t.title + "\x1b\\")
	}
	return b.String()
}

// resize changes the size to another one.
func (t *emulator) resize(width, height int) {
	wasWidth := t.width
	t.width = width
	t.lines = t.fit(t.lines, &t.y, height, t.main == nil)
	if t.main != nil {
		y := height - 1
		if t.kept != nil {
			y = min(t.kept.y, len(t.main)-1)
		}
		t.main = t.fit(t.main, &y, height, true)
		if t.kept != nil {
			t.kept.x, t.kept.y = min(t.kept.x, width-1), y
		}
	}
	t.height = height
	t.x, t.y = min(t.x, width), max(0, min(t.y, height-1))
	t.top, t.bottom = 0, height-1
	if width > wasWidth {
		for i := wasWidth; i < width; i++ {
			t.tabs = append(t.tabs, i%tabWidth == 0)
		}
	}
	t.tabs = t.tabs[:width]
	t.saved.x, t.saved.y = min(t.saved.x, width-1), min(t.saved.y, height-1)
}

// fit makes a screen as high and as wide as it shall be. With keep, lines that leave it at the top go into the history.
func (t *emulator) fit(lines []line, y *int, height int, keep bool) []line {
	if excess := len(lines) - height; excess > 0 {
		below := min(excess, len(lines)-1-*y)
		lines = lines[:len(lines)-below]
		if above := excess - below; above > 0 {
			for i := range lines[:above] {
				if keep {
					t.history.add(&t.clusters, &lines[i])
				}
			}
			lines = slices.Clone(lines[above:])
			*y -= above
		}
	}
	for len(lines) < height {
		lines = append(lines, t.newLine(own))
	}
	for i := range lines {
		l := &lines[i]
		switch was := len(l.cells); {
		case was > t.width:
			l.cells = slices.Clone(l.cells[:t.width])
			if last := &l.cells[t.width-1]; last.width > 1 { // half of it is gone
				*last = blank(last.bg)
			}
		case was < t.width:
			for range t.width - was {
				l.cells = append(l.cells, blank(own))
			}
		}
	}
	return lines
}

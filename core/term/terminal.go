package term

// Terminal is a terminal of some size. It is not safe for concurrent use.
type Terminal struct {
	// Events, if not nil, takes what the program says beside its screen. Answers, if not nil, takes what is to be
	// written to the program. Passed, if not nil, takes what another terminal must be given to show the same: all
	// bytes but the questions, which are answered here. All are called during Write.
	Events  func(Event)
	Answers func([]byte)
	Passed  func([]byte)

	e emulator
}

// New returns a terminal with an empty screen. Sizes below 1 are 1.
func New(width, height int) *Terminal {
	t := &Terminal{e: emulator{width: max(1, width), height: max(1, height)}}
	t.e.history.limit = usualHistory
	t.e.reset()
	return t
}

// Write takes bytes of the program. It takes all of them, and never fails.
func (t *Terminal) Write(p []byte) (int, error) {
	if t.Passed != nil && t.e.passed == nil {
		t.e.relay = relay{asked: t.e.parser.within()} // the rest of a sequence says nothing without its beginning
	}
	t.e.events, t.e.answers, t.e.passed = t.Events, t.Answers, t.Passed
	t.e.write(p)
	return len(p), nil
}

// Resize changes the size. Lines that no longer fit above the cursor scroll off the main screen; those below it are
// cut, and all lines at the new width. It joins and divides no lines.
func (t *Terminal) Resize(width, height int) {
	if width, height = max(1, width), max(1, height); width != t.e.width || height != t.e.height {
		t.e.resize(width, height)
	}
}

// Size returns the width and the height in cells.
func (t *Terminal) Size() (width, height int) { return t.e.width, t.e.height }

// Cursor returns where the cursor is, from 0. Behind the last column, where it is after a character there, it is in
// that column. Visible is false while the program hides it.
func (t *Terminal) Cursor() (x, y int, visible bool) {
	return min(t.e.x, t.e.width-1), t.e.y, t.e.modes.cursor
}

// Title is the title that the program gave its window.
func (t *Terminal) Title() string { return t.e.title }

// Alternate reports whether the alternate screen shows.
func (t *Terminal) Alternate() bool { return t.e.main != nil }

// Lines returns the text of the screen, one for each line, without blanks at the end.
func (t *Terminal) Lines() []string {
	lines, _ := t.Text(Extent{})
	return lines
}

// Styled returns the lines of the screen with the sequences that style them; each begins and ends without a style.
// Blanks at the end are left out unless they have a background.
func (t *Terminal) Styled() []string {
	lines, _ := t.Text(Extent{Styled: true})
	return lines
}

// Redraw returns bytes that make another terminal of the same size show the same: screen, cursor, modes.
func (t *Terminal) Redraw() []byte { return []byte(t.e.redraw()) }

// Setup returns bytes that give another terminal of the same size the modes and the title of this one, but no text.
func (t *Terminal) Setup() []byte { return []byte(t.e.setup()) }

// Erased reports whether the screen that shows was emptied as a whole since the terminal was made. Of a terminal that
// was made while its program ran, only that screen is sure to be the program's.
func (t *Terminal) Erased() bool { return t.e.erased }

// HistoryLimit sets how many lines that scroll off the main screen are kept at least; 0 keeps none.
func (t *Terminal) HistoryLimit(lines int) { t.e.history.limit = lines }

// History returns how many lines that scrolled off are kept, at most the limit.
func (t *Terminal) History() int { return t.e.history.kept() }

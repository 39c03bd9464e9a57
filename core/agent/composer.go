package agent

import (
	"math"
	"slices"
	"strings"

	"cupola/core/term/cells"
)

// composerSpec describes the input box of a kind. All patterns but Bottom see
// rows cut to the columns that Bottom matched, so that a frame may be
// anywhere and have something else beside it.
type composerSpec struct {
	// Bottom is the lower edge of the frame, Top the upper one. Without a Top
	// the composer begins with the row that matches Prompt.
	Bottom, Top *Pattern
	// Prompt begins the first row of a draft and More the others; what they match
	// is not the draft. A draft too tall for its box begins with More.
	Prompt, More *Pattern
	// Mode begins the first row while the composer is in a mode of its own, such
	// as a shell's, that a prompt must not be typed into. It counts as draft.
	Mode *Pattern
	// ModeBelow matches a row below the frame in such a mode where no mark begins the first row. A draft then begins
	// with a mark of its own.
	ModeBelow *Pattern `toml:"mode_below"`
	// SkipTop and SkipBottom are rows inside the frame that are not the draft.
	SkipTop    int `toml:"skip_top"`
	SkipBottom int `toml:"skip_bottom"`
	// Below bounds the rows under the frame; blank ones do not count.
	Below int
	// Cursor is the place of the terminal's cursor while the composer has the keyboard: "inside", "visible" (inside,
	// and not hidden), or "" for outside of it.
	Cursor string
	// Drawn match the composer's first row, or the next row below its frame that is not blank, in versions that draw a
	// cursor of their own: the position of the terminal's cursor then proves nothing. Further below, the footer is
	// no proof: the frame may be that of a submitted prompt.
	Drawn []*Pattern
	// Steers match a row below the frame in versions that give a submitted prompt to the running turn, where others
	// keep it for the next one.
	Steers []*Pattern
	// Scrollbar matches a scrollbar at the right end of the rows above the composer.
	Scrollbar *Pattern
	// Placeholders match a whole draft that the program itself shows. Ghost is true where all text behind a cursor at
	// the very start is the program's too. A draft whose cursor was moved to the start looks the same, unless the
	// screen was captured with its attributes.
	Placeholders []*Pattern
	Ghost        bool
	// Hints match what the program shows behind a command that is typed, to the end of its row: which words may follow.
	Hints []*Pattern
	// Collapsed match the placeholder of a paste.
	Collapsed []*Pattern
	// Plain is true where the lower edge may be missing, as in terminals of few colours: a blank row then ends the
	// composer, and only the cursor distinguishes it from a submitted prompt. Without a PlainTop it begins with the row
	// that matches Prompt.
	Plain    bool
	PlainTop *Pattern `toml:"plain_top"`
	// Cropped is the upper edge in a terminal too low for the draft, where that edge says that rows are hidden. With
	// it, the lower edge may be below the screen, and the cursor must be in the draft.
	Cropped *Pattern
}

const (
	cursorInside  = "inside"
	cursorVisible = "visible"
)

// blank is the lower edge of a composer without a frame.
var blank = &Pattern{Expr: `^$`}

// frame is where a composer's box is: its edges in rows of the page, and
// its columns. Without an upper edge, top is the row above the box.
type frame struct {
	top, bottom int
	left, right int
}

// tallest bounds the search for a frame's upper edge.
const tallest = 200

// find looks for the composer, first for one in its frame.
func (c *composerSpec) find(p *page) (Composer, bool) {
	found, ok := c.search(p)
	if !ok && c.Plain && p.caret.known {
		plain := *c
		plain.Top, plain.Bottom = c.PlainTop, blank
		return plain.search(p)
	}
	if !ok && c.Cropped.given() && p.caret.known {
		return c.cropped(p)
	}
	return found, ok
}

// cropped looks for a composer whose lower edge is below the screen. Where the upper edge does not say that rows are
// hidden, the first row of the draft is below it, and the cursor behind the draft in the last row of the screen.
func (c *composerSpec) cropped(p *page) (Composer, bool) {
	cropped := *c
	f := frame{bottom: len(p.rows), right: math.MaxInt}
	if slices.ContainsFunc(p.rows, c.Cropped.MatchString) {
		cropped.Top = c.Cropped
	} else if whole := f; !c.upperEdge(p, &whole) || whole.top+1 >= len(p.rows) || !c.begins(p.rows[whole.top+1]) ||
		p.caret.row != len(p.rows)-1 || p.caret.column == 0 {
		return Composer{}, false
	}
	return cropped.inside(p, f)
}

// search looks for the composer from the bottom of the page up. Where the cursor
// confirms the composer, a lower edge that turns out to be something else (a rule, the
// rest of an older drawing) is passed over.
func (c *composerSpec) search(p *page) (Composer, bool) {
	last := len(p.rows) - 1
	for last >= 0 && p.rows[last] == "" {
		last--
	}
	if at := p.caret; !c.Top.given() && at.known && at.row < len(p.rows) {
		last = max(last, at.row) // a draft may end in blank rows
	}
	below := 0
	for i := last; i >= 0 && below <= c.Below; i-- {
		if f, ok := c.lowerEdge(p, i, last); ok {
			if found, ok := c.inside(p, f); ok {
				return found, true
			}
			if c.Cursor == "" || !p.caret.known {
				return Composer{}, false
			}
		}
		if p.rows[i] != "" {
			below++
		}
	}
	return Composer{}, false
}

// lowerEdge reports whether a row can be a frame's last. A frame that is cut
// off at the bottom ends below the last row.
func (c *composerSpec) lowerEdge(p *page, i, last int) (frame, bool) {
	row := p.rows[i]
	from, to := c.Bottom.find(row)
	switch {
	case from < to:
		f := frame{bottom: i, left: cells.Width(row[:from])}
		f.right = f.left + cells.Width(row[from:to])
		return f, true
	case from >= 0: // a blank row has no columns
		return frame{bottom: i, right: math.MaxInt}, true
	case !c.Top.given() && (p.caret.known && p.caret.row == i || c.begins(row)):
		return frame{bottom: last + 1, right: math.MaxInt}, true
	}
	return frame{}, false
}

// inside reads the composer in a frame, given its lower edge.
func (c *composerSpec) inside(p *page, f frame) (Composer, bool) {
	if !c.upperEdge(p, &f) {
		return Composer{}, false
	}
	first, last := f.top+1+c.SkipTop, f.bottom-1-c.SkipBottom
	for last > first && p.rows[last] == "" {
		last--
	}
	if first > last || !c.hasKeyboard(p.caret, first, f.bottom-1) && !c.draws(p, f, first) {
		return Composer{}, false
	}
	draft, start, ok := c.draft(p, f, first, last)
	if !ok {
		return Composer{}, false
	}
	shown := ghost{rules: c, page: p, first: first, rows: draft, starts: start, left: f.left}
	text := strings.TrimSpace(strings.Join(shown.typed(), "\n"))
	if matchesAny(c.Placeholders, text) {
		text = ""
	}
	if c.ModeBelow.given() && slices.ContainsFunc(p.downward(f.bottom+1, c.Below), func(row int) bool {
		return c.ModeBelow.MatchString(p.rows[row])
	}) {
		text = strings.TrimSpace(modeMark + " " + text)
	}
	return Composer{
		Draft: text, Collapsed: matchesAny(c.Collapsed, text),
		Top: first + p.offset, Bottom: last + p.offset,
		frame: frame{top: c.firstOf(f), bottom: f.bottom, left: f.left, right: f.right},
	}, true
}

// begins reports whether a row can be the first of a composer.
func (c *composerSpec) begins(row string) bool {
	return c.Prompt.MatchString(row) || c.Mode.given() && c.Mode.MatchString(row)
}

// upperEdge completes a frame.
func (c *composerSpec) upperEdge(p *page, f *frame) bool {
	for i := f.bottom - 1; i >= max(0, f.bottom-tallest); i-- {
		row := f.cut(p.rows[i])
		if !c.Top.given() && c.begins(row) {
			f.top = i - 1
			return true
		}
		if c.Top.given() && c.Top.MatchString(row) {
			f.top = i
			return true
		}
	}
	return c.cutOff(p, f)
}

// cutOff completes a frame whose upper edge has scrolled off a small terminal: the
// first row of the draft is the first of the screen, and the cursor is in the draft.
func (c *composerSpec) cutOff(p *page, f *frame) bool {
	at := p.caret
	if f.bottom == 0 || f.bottom > tallest || !at.known || at.row >= f.bottom || !c.begins(f.cut(p.rows[0])) {
		return false
	}
	f.top = -1
	return true
}

// modeMark begins the draft of a composer whose mode only a row below it shows.
const modeMark = "!"

// draft takes the rows of a draft out of their frame. It returns at which cell of the frame the
// text of each row starts, and fails where a row cannot be a draft's.
func (c *composerSpec) draft(p *page, f frame, first, last int) (rows []string, starts []int, ok bool) {
	for i := first; i <= last; i++ {
		row := f.cut(p.rows[i])
		begin := c.More
		if i == first && (c.Prompt.MatchString(row) || !p.caret.known || c.Cursor == "") {
			begin = c.Prompt
		}
		from, to := begin.find(row)
		if i == first && c.Mode.given() && c.Mode.MatchString(row) {
			from, to = 0, 0
		}
		switch {
		case from >= 0:
			rows = append(rows, row[to:])
		case row == "" && i > first:
			rows, to = append(rows, ""), 0
		default:
			return nil, nil, false
		}
		starts = append(starts, cells.Width(row[:to]))
	}
	return rows, starts, true
}

// hasKeyboard reports whether the cursor is where it is while the composer has
// the keyboard. Where the cursor is unknown, the frame suffices.
func (c *composerSpec) hasKeyboard(at caret, first, last int) bool {
	if c.Cursor == "" || !at.known {
		return true
	}
	if c.Cursor == cursorVisible && !at.visible {
		return false
	}
	return at.row >= first && at.row <= last
}

// draws reports whether the program draws a cursor of its own.
func (c *composerSpec) draws(p *page, f frame, first int) bool {
	if len(c.Drawn) == 0 || p.caret.visible {
		return false
	}
	next := p.downward(f.bottom+1, 1)
	return matchesAny(c.Drawn, f.cut(p.rows[first])) || len(next) > 0 && matchesAny(c.Drawn, p.rows[next[0]])
}

// firstOf returns the first row that belongs to the frame.
func (c *composerSpec) firstOf(f frame) int {
	if !c.Top.given() {
		return f.top + 1
	}
	return f.top
}

// cut returns the part of a row that is in the frame's columns.
func (f frame) cut(row string) string {
	if f.left == 0 && len(row) <= f.right {
		return row
	}
	return columns(row, f.left, f.right)
}

// Collapsed reports whether a text is a placeholder that the program shows for a long paste.
func (k *Kind) Collapsed(text string) bool {
	k.rulebook()
	return matchesAny(k.screen.composer.Collapsed, text)
}

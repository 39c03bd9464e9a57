package cast

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/term"
)

// Mask hides parts of texts.
type Mask struct {
	// Pieces masks a text that comes in pieces, Lines the lines of a screen; both return as many as they get.
	Pieces, Lines func([]string) []string
}

// Masked returns a recording with parts of its text masked. What a program wrote stays as it is where that suffices. If
// a screen still shows what must be masked, since it was drawn in pieces that are not in the order in which they are
// read, then what it shows is recorded instead of what was written.
func (c *Recording) Masked(mask Mask) *Recording {
	masked := &Recording{Header: c.Header, Events: append([]Event(nil), c.Events...)}
	masked.Title = mask.Lines([]string{c.Title})[0]
	var pieces []string
	var at []int
	for i, e := range c.Events {
		if e.Kind == Output {
			pieces, at = append(pieces, e.Data), append(at, i)
		}
	}
	for i, piece := range mask.Pieces(pieces) {
		masked.Events[at[i]].Data = piece
	}
	if c.showsIn(masked, mask) {
		masked.Events = c.redrawn(mask)
	}
	return masked
}

// showsIn reports whether a masked recording still shows something of what this one must not.
func (c *Recording) showsIn(masked *Recording, mask Mask) bool {
	t, u, seen := c.ScreenAt(-1), masked.ScreenAt(-1), map[string]bool{}
	for i, e := range c.Events {
		Apply(t, e)
		Apply(u, masked.Events[i])
		lines := t.Lines()
		text := strings.Join(lines, "\n")
		if e.Kind != Output || seen[text] {
			continue
		}
		seen[text] = true
		shown := strings.Join(u.Lines(), "\n")
		for j, line := range mask.Lines(lines) {
			if line != lines[j] && has(shown, hidden(line, lines[j])) {
				return true
			}
		}
	}
	return false
}

// hidden is the part of a line that a masked one has not.
func hidden(masked, line string) string {
	from, end := agree(masked, line), 0
	for end < min(len(masked), len(line))-from && masked[len(masked)-1-end] == line[len(line)-1-end] {
		end++
	}
	return line[from : len(line)-end]
}

// has reports whether a text has a part of another one, of a few bytes.
func has(text, other string) bool {
	const least = 6
	for i := 0; i+least <= len(other); i++ {
		if strings.Contains(text, other[i:i+least]) {
			return true
		}
	}
	return len(other) < least && other != "" && strings.Contains(text, other)
}

// redrawn records what each event showed. What a later event completes to what must be masked is
// left out before too.
func (c *Recording) redrawn(mask Mask) []Event {
	frames := make([]frame, len(c.Events))
	t := c.ScreenAt(-1)
	for i, e := range c.Events {
		Apply(t, e)
		frames[i] = newFrame(t, mask)
	}
	for i := len(frames) - 2; i >= 0; i-- {
		frames[i].hide(&frames[i+1])
	}
	events := make([]Event, len(c.Events))
	var before []string
	for i, e := range c.Events {
		events[i] = e
		if e.Kind == Resize {
			before = nil
			continue
		}
		events[i].Data, before = frames[i].draw(before), frames[i].shown
	}
	return events
}

// frame is a screen: its lines, as they are shown, and how many bytes of each are shown before something is hidden.
type frame struct {
	plain, shown []string
	open         []int
	x, y         int
	cursor       bool
}

func newFrame(t *term.Terminal, mask Mask) frame {
	f := frame{plain: t.Lines()}
	f.x, f.y, f.cursor = t.Cursor()
	f.shown = mask.Lines(t.Styled())
	for i, line := range mask.Lines(f.plain) {
		open := len(f.plain[i])
		if line != f.plain[i] {
			open = agree(line, f.plain[i])
			f.shown[i] = line
		}
		f.open = append(f.open, open)
	}
	return f
}

// agree is how many bytes two texts begin with alike.
func agree(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// alike reports whether two lines show the same somewhere behind a byte.
func alike(a, b string, from int) bool {
	for i := from; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] && a[i] != ' ' {
			return true
		}
	}
	return false
}

// hide hides of a frame what the next one hides of the same line.
func (f *frame) hide(next *frame) {
	for i := range min(len(f.plain), len(next.plain)) {
		open := next.open[i]
		if open >= len(next.plain[i]) || open >= f.open[i] || !alike(f.plain[i], next.plain[i], open) {
			continue
		}
		f.open[i] = open
		f.shown[i] = strings.ToValidUTF8(f.plain[i][:open], "")
	}
}

// draw writes the lines that differ from those before; all of them if there are none.
func (f *frame) draw(before []string) string {
	var b strings.Builder
	if before == nil {
		b.WriteString(ansi.ResetStyle + ansi.EraseEntireScreen)
	}
	for i, line := range f.shown {
		if i >= len(before) || before[i] != line {
			fmt.Fprintf(&b, "\x1b[%d;1H%s%s%s", i+1, ansi.ResetStyle, line, ansi.ResetStyle+ansi.EraseLineRight)
		}
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25%s", f.y+1, f.x+1, map[bool]string{true: "h", false: "l"}[f.cursor])
	return b.String()
}

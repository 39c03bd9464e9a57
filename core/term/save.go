package term

import (
	"encoding/binary"
	"errors"
)

// The versions of what Save writes: the second has the colours of underlines. What has none is written in the first,
// so that an older program can take it over.
const (
	savedFirst = iota + 1
	savedColours
)

// errSaved means that bytes are not what Save wrote, or what a newer version wrote.
var errSaved = errors.New("no saved terminal")

// Save returns the whole state of a terminal, also in the middle of a sequence: a terminal that Load makes of it goes
// on as this one would.
func (t *Terminal) Save() []byte { return t.AppendSave(nil) }

// AppendSave is Save for a buffer that is used again: it appends the state.
func (t *Terminal) AppendSave(to []byte) []byte {
	version := byte(savedFirst)
	if len(t.e.lineColours) > 0 {
		version = savedColours
	}
	c := &codec{data: append(to, version)}
	c.emulator(&t.e)
	if version >= savedColours {
		c.lineColours(&t.e.lineColours)
	}
	return c.data
}

// Load returns the terminal that Save saved, without functions for events and answers.
func Load(saved []byte) (*Terminal, error) {
	if len(saved) == 0 || saved[0] < savedFirst || saved[0] > savedColours {
		return nil, errSaved
	}
	t := New(1, 1)
	c := &codec{data: saved[1:], loads: true}
	c.emulator(&t.e)
	if saved[0] >= savedColours {
		c.lineColours(&t.e.lineColours)
	}
	if c.broken || len(c.data) > 0 || !t.e.consistent() {
		return nil, errSaved
	}
	return t, nil
}

// consistent reports whether a state that was read is one that a terminal can be in.
func (t *emulator) consistent() bool {
	for _, screen := range [][]line{t.lines, t.main} {
		if screen != nil && len(screen) != t.height {
			return false
		}
		for i := range screen {
			if len(screen[i].cells) != t.width || !t.known(screen[i].cells) {
				return false
			}
		}
	}
	inside := func(x, y int) bool { return x >= 0 && x <= t.width && y >= 0 && y < t.height }
	p := &t.parser
	return t.width > 0 && t.height > 0 && t.lines != nil && len(t.tabs) == t.width && inside(t.x, t.y) &&
		inside(t.saved.x, t.saved.y) && (t.kept == nil || inside(t.kept.x, t.kept.y)) &&
		t.top >= 0 && t.top <= t.bottom && t.bottom < t.height &&
		p.state <= textEscape && len(p.params) == len(p.colon) && len(p.params) <= mostParams &&
		p.partly >= 0 && p.partly < len(p.partial) && t.history.sound()
}

// known reports whether all clusters of cells are known.
func (t *emulator) known(cells []cell) bool {
	for i := range cells {
		if -int(cells[i].char) > len(t.clusters.texts) {
			return false
		}
	}
	return true
}

// codec writes the state of a terminal, or reads it: the same list of fields does both.
type codec struct {
	data   []byte
	loads  bool
	broken bool
}

// number is a number that is not negative, or a little less.
func number[N ~int | ~int32 | ~uint8 | ~uint16 | ~uint32](c *codec, n *N) {
	if !c.loads {
		c.data = binary.AppendVarint(c.data, int64(*n))
		return
	}
	value, size := binary.Varint(c.data)
	if size <= 0 || int64(N(value)) != value {
		c.broken, value, size = true, 0, min(len(c.data), max(0, size))
	}
	*n = N(value)
	c.data = c.data[size:]
}

func (c *codec) flags(flags ...*bool) {
	for _, f := range flags {
		n := 0
		if *f {
			n = 1
		}
		number(c, &n)
		*f = n == 1
	}
}

// length is how many elements follow, each of at least a byte.
func (c *codec) length(n int) int {
	number(c, &n)
	if c.loads && (n < 0 || n > len(c.data)) {
		c.broken, n = true, 0
	}
	return n
}

func (c *codec) bytes(b *[]byte) {
	n := c.length(len(*b))
	if !c.loads {
		c.data = append(c.data, *b...)
		return
	}
	*b = append([]byte(nil), c.data[:n]...)
	c.data = c.data[n:]
}

func (c *codec) text(s *string) {
	b := []byte(*s)
	c.bytes(&b)
	*s = string(b)
}

// list is a list, each element by a function.
func list[E any](c *codec, l *[]E, each func(*E)) {
	n := c.length(len(*l))
	if c.loads {
		*l = make([]E, 0, n)
	}
	for i := 0; i < n && !c.broken; i++ {
		if c.loads {
			var empty E
			*l = append(*l, empty)
		}
		each(&(*l)[i])
	}
}

func (c *codec) emulator(e *emulator) {
	number(c, &e.width)
	number(c, &e.height)
	c.parser(&e.parser)
	list(c, &e.clusters.texts, c.text)
	if c.loads {
		e.clusters.number = map[string]int32{}
		for i, text := range e.clusters.texts {
			e.clusters.number[text] = int32(-i - 1) //nolint:gosec // there are not that many
		}
	}
	list(c, &e.lines, c.line)
	number(c, &e.x)
	number(c, &e.y)
	c.pen(&e.pen)
	number(c, &e.top)
	number(c, &e.bottom)
	list(c, &e.tabs, func(b *bool) { c.flags(b) })
	c.modes(&e.modes)
	number(c, &e.saved.x)
	number(c, &e.saved.y)
	c.pen(&e.saved.pen)
	c.flags(&e.saved.origin, &e.saved.shift, &e.saved.sets[0], &e.saved.sets[1])
	alternate, kept := e.main != nil, e.kept != nil
	c.flags(&alternate, &kept, &e.shift, &e.sets[0], &e.sets[1])
	if alternate {
		list(c, &e.main, c.line)
	}
	if kept {
		if c.loads {
			e.kept = &keptCursor{}
		}
		number(c, &e.kept.x)
		number(c, &e.kept.y)
		c.pen(&e.kept.pen)
	}
	number(c, &e.last)
	c.text(&e.title)
	c.history(&e.history)
}

func (c *codec) lineColours(l *lineColours) {
	list(c, (*[]colour)(l), func(one *colour) { number(c, one) })
	c.broken = c.broken || len(*l) > mostLineColours
}

func (c *codec) parser(p *parser) {
	number(c, &p.state)
	list(c, &p.params, func(n *int) { number(c, n) })
	list(c, &p.colon, func(b *bool) { c.flags(b) })
	for _, b := range []*byte{&p.prefix, &p.intermediate, &p.kind} {
		number(c, b)
	}
	c.bytes(&p.str)
	for i := range p.partial {
		number(c, &p.partial[i])
	}
	number(c, &p.partly)
}

func (c *codec) pen(p *pen) {
	number(c, &p.fg)
	number(c, &p.bg)
	number(c, &p.attr)
}

func (c *codec) modes(m *modes) {
	c.flags(
		&m.wrap,
		&m.cursor,
		&m.insert,
		&m.origin,
		&m.newLine,
		&m.cursorKeys,
		&m.keypad,
		&m.paste,
		&m.focus,
		&m.batch,
		&m.clusters,
	)
	for _, n := range []*int{&m.mouse, &m.encoding, &m.shape} {
		number(c, n)
	}
	list(c, &m.keys, func(n *int) { number(c, n) })
}

// line is a line of the screen, as runs of equal cells.
func (c *codec) line(l *line) {
	c.flags(&l.wrapped)
	l.written = true
	if !c.loads {
		for at := 0; at < len(l.cells); {
			end := at + 1
			for end < len(l.cells) && l.cells[end] == l.cells[at] {
				end++
			}
			run := end - at
			number(c, &run)
			c.cell(&l.cells[at])
			at = end
		}
		end := 0
		number(c, &end)
		return
	}
	const widest = 1 << 16
	for !c.broken {
		var run int
		var one cell
		number(c, &run)
		if run <= 0 || run > widest-len(l.cells) {
			c.broken = c.broken || run != 0
			return
		}
		c.cell(&one)
		for range run {
			l.cells = append(l.cells, one)
		}
	}
}

func (c *codec) cell(one *cell) {
	number(c, &one.char)
	number(c, &one.fg)
	number(c, &one.bg)
	number(c, &one.attr)
	number(c, &one.width)
	c.flags(&one.padding)
}

func (c *codec) history(h *history) {
	number(c, &h.limit)
	number(c, &h.lines)
	list(c, &h.chunks, func(one *chunk) {
		number(c, &one.lines)
		c.bytes(&one.bytes)
	})
}

// sound reports whether the lines of a history can be read.
func (h *history) sound() bool {
	total := 0
	for _, chunk := range h.chunks {
		lines := 0
		for rest := chunk.bytes; len(rest) > 0; lines++ {
			length, size := binary.Uvarint(rest)
			if size <= 0 || length == 0 || length > uint64(len(rest)-size) ||
				!soundLine(rest[size:size+int(length)]) { //nolint:gosec // as checked
				return false
			}
			rest = rest[size+int(length):] //nolint:gosec // as checked
		}
		if lines != chunk.lines {
			return false
		}
		total += lines
	}
	return total == h.lines
}

// soundLine reports whether an encoded line can be read.
func soundLine(from []byte) bool {
	for from = from[1:]; len(from) > 0; {
		var n uint64
		for range 4 { // colours, attributes, and the length of the text
			size := 0
			if n, size = binary.Uvarint(from); size <= 0 {
				return false
			}
			from = from[size:]
		}
		if n > uint64(len(from)) {
			return false
		}
		from = from[n:]
	}
	return true
}

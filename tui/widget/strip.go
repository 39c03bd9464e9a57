package widget

import (
	"unicode/utf8"

	"cupola/core/cells"
	"cupola/theme"
)

// strip is what of a pane's line is drawn, and how. It is part of a cache's key.
type strip struct {
	level theme.Level
	// from is the first column shown and width how many are; pane is the pane's
	// width, 0 where it is not known.
	from, width, pane int
	// cursor is the column of the cursor, -1 for none.
	cursor int
	// apart is true where the pane's emoji do not join: see core.Screen.
	apart bool
	// fill carries the background at the line's end on to the pane's edge.
	fill bool
}

// tabStop is the distance between tab stops.
const tabStop = 8

// cutter writes one line.
type cutter struct {
	strip
	out []byte
	// column is where in the pane the next cell lies.
	column int
	// set is the look that is in force.
	set pen
}

// draw appends a line to b: exactly s.width cells, ending without any style.
func (s strip) draw(b []byte, line *scanned) []byte {
	c := cutter{strip: s, out: b}
	text, marks := line.text, line.marks
	now := marks[0].pen
	for i := 0; i < len(text) && c.column < s.from+s.width; {
		for len(marks) > 1 && marks[1].at <= i {
			marks = marks[1:]
			now = marks[0].pen
		}
		i += c.next(text[i:], now)
	}
	c.finish(line)
	return c.out
}

// next draws the first cluster of a text and returns its length.
func (c *cutter) next(text string, p pen) int {
	first := text[0]
	switch {
	case first == '\t':
		for n := tabStop - c.column%tabStop; n > 0; n-- {
			c.cell(p)
		}
		return 1
	case first < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf):
		c.put(text[:1], 1, p)
		return 1
	}
	cluster := cells.First(text)
	c.put(text[:cluster.Len], cluster.Width, p)
	return cluster.Len
}

func (c *cutter) cell(p pen) { c.put(" ", 1, p) }

// put draws a cluster of some width. Only as much of it as lies inside is drawn,
// as blanks where that is not all of it; what has no width of its own is not.
func (c *cutter) put(cluster string, width int, p pen) {
	start, end := c.column, c.column+width
	c.column = end
	left, right := max(start, c.from), min(end, c.from+c.width)
	if left >= right {
		return
	}
	look := p.look(c.level)
	if c.cursor >= start && c.cursor < end {
		look.attrs ^= reverse
	}
	whole := right-left == width && p.attrs&conceal == 0
	if !whole || cluster[0] == ' ' && len(cluster) == 1 {
		// Blanks need no other pen where neither this one nor the last can be seen.
		if !look.blank() || !c.set.blank() {
			c.dress(look)
		}
		for ; left < right; left++ {
			c.out = append(c.out, ' ')
		}
		return
	}
	c.dress(look)
	c.out = append(c.out, cluster...)
}

func (c *cutter) dress(look pen) {
	if look == c.set {
		return
	}
	c.set = look
	if look == (pen{}) {
		c.out = append(c.out, theme.Reset...)
		return
	}
	c.out = look.write(c.out, c.level)
}

// finish fills up what the line did not reach.
func (c *cutter) finish(line *scanned) {
	end := c.from + c.width
	edge := end
	if c.pane > 0 {
		edge = min(edge, c.pane)
	}
	tail := pen{front: line.end.front, back: line.end.back, attrs: line.end.attrs & reverse}
	if line.loose && tail.attrs != 0 && tail.back == 0 && c.column < edge {
		// A capture drops blanks at the end of a line, and with them a cursor that the
		// program itself draws.
		c.cell(tail)
	}
	if !c.fill || tail.back == 0 {
		tail = pen{}
	}
	for c.column < edge {
		c.cell(tail)
	}
	for c.column < end {
		c.cell(pen{})
	}
	c.dress(pen{})
}

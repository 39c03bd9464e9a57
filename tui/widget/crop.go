package widget

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/cellbuf"

	"cupola/core/term/cells"
	"cupola/theme"
)

// crop says which part of a pane's line is drawn, and how. It is part of a
// cache's key.
type crop struct {
	level theme.Level
	// from is the first column shown and width how many are; pane is the pane's
	// width, 0 where it is not known.
	from, width, pane int
	// cursor is the column of the cursor, -1 for none.
	cursor int
	// keys is true where the terminal's cursor is put at the pane's.
	keys bool
	// apart is true where the pane's emoji do not join: see core.Screen.
	apart bool
	// fill carries the background at the line's end on to the pane's edge.
	fill bool
}

// tabStop is the distance between tab stops.
const tabStop = 8

// lineWriter writes one line.
type lineWriter struct {
	crop
	out []byte
	// column is where in the pane the next cell is.
	column int
	// style is the one in force, next the style of the next cell, as the level shows it; changed is true while they
	// may differ. Comparing them at every cell is slow.
	style, next cellbuf.Style
	changed     bool
	concealed   bool
}

// draw appends a line to b: exactly c.width cells, ending without any style.
func (c crop) draw(b []byte, line *parsedLine) []byte {
	w := lineWriter{crop: c, out: b}
	text, changes := line.text, line.changes
	w.restyle(changes[0].style)
	for i := 0; i < len(text) && w.column < c.from+c.width; {
		for len(changes) > 1 && changes[1].at <= i {
			changes = changes[1:]
			w.restyle(changes[0].style)
		}
		i += w.cluster(text[i:])
	}
	w.finish(line)
	return w.out
}

func (w *lineWriter) restyle(style cellbuf.Style) {
	w.next, w.changed = w.level.Reduce(style), true
	w.concealed = style.Attrs&cellbuf.ConcealAttr != 0
}

// cluster draws the first cluster of a text and returns its length.
func (w *lineWriter) cluster(text string) int {
	first := text[0]
	switch {
	case first == '\t':
		w.blanks(tabStop - w.column%tabStop)
		return 1
	case first < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf):
		w.put(text[:1], 1)
		return 1
	}
	cluster := cells.First(text)
	w.put(text[:cluster.Len], cluster.Width)
	return cluster.Len
}

func (w *lineWriter) blanks(n int) {
	for ; n > 0; n-- {
		w.put(" ", 1)
	}
}

// put draws a cluster of some width. Only as much of it as is inside is drawn,
// as blanks where that is not all of it; what has no width of its own is not.
func (w *lineWriter) put(cluster string, width int) {
	start, end := w.column, w.column+width
	w.column = end
	left, right := max(start, w.from), min(end, w.from+w.width)
	if left >= right {
		return
	}
	blank := right-left != width || w.concealed || cluster == " "
	cursor := w.cursor >= start && w.cursor < end
	if cursor && w.keys {
		w.out = append(w.out, theme.Here...)
	}
	if w.changed || cursor {
		w.set(blank, cursor)
	}
	if !blank {
		w.out = append(w.out, cluster...)
		return
	}
	for ; left < right; left++ {
		w.out = append(w.out, ' ')
	}
}

// set puts the next style in force. Blanks need no other style where neither this
// one nor the last can be seen.
func (w *lineWriter) set(blank, cursor bool) {
	style := w.next
	if cursor {
		style.Attrs ^= cellbuf.ReverseAttr
	}
	if blank && !visible(style) && !visible(w.style) {
		return
	}
	if style != w.style {
		w.style = style
		w.out = append(w.out, theme.Begin(style)...)
	}
	w.changed = cursor
}

// visible reports whether a blank in a style differs from an empty cell.
func visible(style cellbuf.Style) bool {
	return style.Bg != nil || style.UlStyle != cellbuf.NoUnderline ||
		style.Attrs&(cellbuf.ReverseAttr|cellbuf.StrikethroughAttr) != 0
}

// finish fills up the rest of the line.
func (w *lineWriter) finish(line *parsedLine) {
	end := w.from + w.width
	edge := end
	if w.pane > 0 {
		edge = min(edge, w.pane)
	}
	tail := cellbuf.Style{
		Fg: line.end.style.Fg, Bg: line.end.style.Bg,
		Attrs: line.end.style.Attrs & cellbuf.ReverseAttr,
	}
	if line.trailing && tail.Attrs != 0 && tail.Bg == nil && w.column < edge {
		// A capture drops blanks at the end of a line, and with them a cursor that the
		// program itself draws.
		w.restyle(tail)
		w.blanks(1)
	}
	if w.fill && tail.Bg != nil {
		w.restyle(tail)
		w.blanks(edge - w.column)
	}
	w.restyle(cellbuf.Style{})
	w.blanks(end - w.column)
	w.set(false, false)
}

package widget

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
)

// Span is a piece of a line: a text and what it means.
type Span struct {
	Token theme.Token
	Text  string
}

// Line is spans side by side. Their texts may come from anywhere.
type Line []Span

// Styled makes a line of one span.
func Styled(token theme.Token, text string) Line { return Line{{token, text}} }

// Text is the line without its styles.
func (l Line) Text() string {
	text := ""
	for _, span := range l {
		text += span.Text
	}
	return text
}

// Width is how many cells a line needs.
func (l Line) Width() int {
	width := 0
	for _, span := range l {
		width += widthOf(span.Text)
	}
	return width
}

// widthOf is the width of a text once it is clean.
func widthOf(text string) int { return cells.Width(cells.Clean(text)) }

// cut shortens a text to at most w cells; a shortened text ends in an ellipsis.
func cut(t *theme.Theme, text string, w int) (string, int) {
	text = cells.Clean(text)
	width := cells.Width(text)
	if width <= w {
		return text, width
	}
	if w <= 0 {
		return "", 0
	}
	text = cells.Cut(text, w, t.Glyphs().Ellipsis)
	return text, cells.Width(text)
}

// painter writes lines of spans, on the terminal's background or the selection's.
type painter struct {
	theme    *theme.Theme
	selected bool
}

func (p painter) style(token theme.Token) theme.Style {
	if p.selected {
		return p.theme.Selected(token)
	}
	return p.theme.Style(token)
}

// spans writes a line into at most w cells and returns how many it took.
func (p painter) spans(out *strings.Builder, line Line, w int) (taken int) {
	for _, span := range line {
		if taken >= w {
			break
		}
		text, width := cut(p.theme, span.Text, w-taken)
		out.WriteString(p.style(span.Token).Render(text))
		taken += width
	}
	return taken
}

// row writes exactly w cells: left from the left edge, right up to the right one. If both do
// not fit, left is cut; right is left out if it is wider than the row.
func (p painter) row(w int, left, right Line) string {
	if w <= 0 {
		return ""
	}
	var out strings.Builder
	width := right.Width()
	if width > w {
		right, width = nil, 0
	}
	room := w - width
	if width > 0 {
		room = max(0, room-1)
	}
	taken := p.spans(&out, left, room)
	out.WriteString(p.style(theme.Text).Render(spaces(w - width - taken)))
	p.spans(&out, right, width)
	return exactly(out.String(), w)
}

// exactly cuts or fills a line to w cells. Pieces of text can take other widths side
// by side than alone: two halves of a flag become one sign.
func exactly(line string, w int) string {
	switch width := cells.Width(line); {
	case width < w:
		return line + spaces(w-width)
	case width > w:
		line = cells.Cut(line, w, "")
		return line + spaces(w-cells.Width(line))
	}
	return line
}

// Rule draws lines from edge to edge: vertical ones in a rect of one column,
// horizontal ones otherwise.
func Rule(t *theme.Theme, w, h int) []string {
	sign := t.Glyphs().Light.Horizontal
	if w == 1 {
		sign = t.Glyphs().Light.Vertical
	}
	lines := make([]string, max(0, h))
	for i := range lines {
		lines[i] = t.Style(theme.Border).Render(strings.Repeat(sign, max(0, w)))
	}
	return lines
}

// Fit makes foreign text exactly w cells wide: cut before an ellipsis, or padded with blanks.
func Fit(t *theme.Theme, text string, w int) string {
	text = cells.Cut(cells.Clean(text), max(0, w), t.Glyphs().Ellipsis)
	return text + spaces(w-cells.Width(text))
}

package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"cupola/theme"
)

// Span is a piece of a line: a text and what it means.
type Span struct {
	Token theme.Token
	Text  string
}

// Line is spans side by side. Their texts may come from anywhere.
type Line []Span

// Say makes a line of one span.
func Say(token theme.Token, text string) Line { return Line{{token, text}} }

// Width is how many cells a line needs.
func (l Line) Width() int {
	width := 0
	for _, span := range l {
		width += cells(span.Text)
	}
	return width
}

// Clean returns a text as widgets show it: escape sequences, what turns the
// direction of writing and what would join the sign before the text left out, line
// ends, tabs and other controls as blanks.
func Clean(text string) string {
	if printable(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case r >= utf8.RuneSelf && !shown(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(ansi.Strip(text), "\ufffd"))
	return strings.TrimLeftFunc(text, joins)
}

// printable reports whether a text is printable ASCII only.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// cells is the width of a text once it is clean.
func cells(text string) int {
	if printable(text) {
		return len(text)
	}
	return ansi.StringWidth(Clean(text))
}

// cut shortens a text to at most w cells, the last of which then is an ellipsis.
func cut(t *theme.Theme, text string, w int) (string, int) {
	text = Clean(text)
	width := cells(text)
	if width <= w {
		return text, width
	}
	if w <= 0 {
		return "", 0
	}
	text = ansi.Truncate(text, w, t.Glyphs().Ellipsis)
	return text, ansi.StringWidth(text)
}

// brush writes lines of spans, on the terminal's background or the selection's.
type brush struct {
	theme    *theme.Theme
	selected bool
}

func (b brush) ink(token theme.Token) theme.Ink {
	if b.selected {
		return b.theme.Selected(token)
	}
	return b.theme.Ink(token)
}

// spans writes a line into at most w cells and returns how many it took.
func (b brush) spans(out *strings.Builder, line Line, w int) (taken int) {
	for _, span := range line {
		if taken >= w {
			break
		}
		text, width := cut(b.theme, span.Text, w-taken)
		out.WriteString(b.ink(span.Token).Paint(text))
		taken += width
	}
	return taken
}

// row writes exactly w cells: left from the left edge, right up to the right
// one. Where both have no room, left gives way; right goes where it is wider
// than everything.
func (b brush) row(w int, left, right Line) string {
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
	taken := b.spans(&out, left, room)
	out.WriteString(b.ink(theme.Text).Paint(spaces(w - width - taken)))
	b.spans(&out, right, width)
	return exactly(out.String(), w)
}

// exactly mends a line whose pieces, once side by side, became fewer signs than
// they were alone: two halves of a flag, or what joins signs to one.
func exactly(line string, w int) string {
	switch width := ansi.StringWidth(line); {
	case width < w:
		return line + spaces(w-width)
	case width > w:
		line = ansi.Truncate(line, w, "")
		return line + spaces(w-ansi.StringWidth(line))
	}
	return line
}

// Rule draws lines from edge to edge: standing ones in a rect of one column,
// lying ones otherwise.
func Rule(t *theme.Theme, w, h int) []string {
	sign := t.Glyphs().Light.Horizontal
	if w == 1 {
		sign = t.Glyphs().Light.Vertical
	}
	lines := make([]string, max(0, h))
	for i := range lines {
		lines[i] = t.Ink(theme.Border).Paint(strings.Repeat(sign, max(0, w)))
	}
	return lines
}

// Fit makes foreign text exactly w cells wide: cut, or padded with blanks.
func Fit(text string, w int) string {
	text = ansi.Truncate(Clean(text), max(0, w), "")
	return text + spaces(w-cells(text))
}

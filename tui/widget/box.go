package widget

import (
	"strings"

	"cupola/core"

	"cupola/theme"
	"cupola/tui/layout"
)

// Frame is the decoration around the body of a box.
type Frame struct {
	// Title is in the upper border, Note at the right of the lower one.
	Title, Note Line
	// Focused draws the border strongly.
	Focused bool
	// Border is the colour of the border; Text is the usual one.
	Border theme.Token
}

// Inner is the rect inside a box; it is empty for a box below three by three.
func Inner(r layout.Rect) layout.Rect { return r.Inset(1) }

// Box draws a frame around a body whose lines are cut or filled up to the width of Inner.
func Box(t *theme.Theme, r layout.Rect, f Frame, body []string) []string {
	return frame(t, r, f, Block(Inner(r), body))
}

// Block cuts lines, or fills them up, to a rect.
func Block(r layout.Rect, lines []string) []string {
	fitted := core.Map(lines[:min(len(lines), max(0, r.H))], func(line string) string { return exactly(line, r.W) })
	return pad(fitted, r)
}

// frame draws the border around a body that fits.
func frame(t *theme.Theme, r layout.Rect, f Frame, body []string) []string {
	if r.W < 2 || r.H < 2 {
		return pad(nil, r)
	}
	signs, style := t.Glyphs().Light, t.Style(theme.Border)
	if f.Focused {
		signs, style = t.Glyphs().Heavy, t.Style(theme.BorderFocused)
	}
	if f.Border != theme.Text {
		style = t.Style(f.Border)
	}
	lines := make([]string, 0, r.H)
	lines = append(lines, border(t, style, signs.TopLeft, signs.Horizontal, signs.TopRight, r.W, f.Title, nil))
	side := style.Render(signs.Vertical)
	for _, line := range body {
		lines = append(lines, side+line+side)
	}
	return append(lines, border(t, style, signs.BottomLeft, signs.Horizontal, signs.BottomRight, r.W, nil, f.Note))
}

// border draws the upper or lower side with a text at its left or right, between blanks.
func border(t *theme.Theme, style theme.Style, start, sign, end string, w int, left, right Line) string {
	const corners, blanks = 4, 2 // a corner and one sign at either end
	text, taken := "", 0
	if room := w - corners - blanks; room > 0 && len(left)+len(right) > 0 {
		var words strings.Builder
		taken = blanks + painter{theme: t}.spans(&words, append(left[:len(left):len(left)], right...), room)
		text = exactly(" "+words.String()+" ", taken)
	}
	before := min(1, w-2)
	if len(left) == 0 {
		before = max(0, w-2-taken-1)
	}
	return style.Render(start+strings.Repeat(sign, before)) + text +
		style.Render(strings.Repeat(sign, w-2-taken-before)+end)
}

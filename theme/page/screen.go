package page

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"

	"cupola/core"
	"cupola/core/term/cells"
)

// Run is a part of a line in one style, for a page: text alone, which a browser never reads as markup.
type Run struct {
	Text string `json:"t"`
	// Colour and Ground are a number of the terminal's 16 colours, or #rrggbb; empty is the terminal's own.
	Colour string `json:"c,omitempty"`
	Ground string `json:"g,omitempty"`
	// Attributes are letters: b(old), d(im), i(talic), u(nderlined), r(eversed), s(truck).
	Attributes string `json:"a,omitempty"`
	// Cells is the width of a text of wide characters, which fonts do not keep; 0 is a cell a character.
	Cells int `json:"w,omitempty"`
}

// Screen is the visible text of a pane, with its size and cursor.
type Screen struct {
	Pane    core.PaneID `json:"pane"`
	Columns int         `json:"columns"`
	Rows    int         `json:"rows"`
	// CursorX and CursorY are its place, from 0; -1 where it is hidden.
	CursorX int     `json:"x"`
	CursorY int     `json:"y"`
	Lines   [][]Run `json:"lines"`
}

// ScreenOf is a captured screen as a page shows it.
func ScreenOf(captured *core.Screen) Screen {
	lines := captured.Lines[max(0, len(captured.Lines)-captured.Visible):]
	shown := Screen{
		Pane: captured.Pane, Columns: captured.View.Width, Rows: captured.View.Height, CursorX: -1, CursorY: -1,
		Lines: make([][]Run, len(lines)),
	}
	if cursor := &captured.View.Cursor; cursor.Visible {
		shown.CursorX, shown.CursorY = cursor.X, cursor.Y
	}
	var style cellbuf.Style
	for i, line := range lines {
		shown.Lines[i] = runsOf(line, &style)
	}
	return shown
}

// runsOf reads a line with its styles, which continue in the next line.
func runsOf(line string, style *cellbuf.Style) []Run {
	runs := []Run{}
	add := func(text string) {
		for text = clean(text); text != ""; {
			length, wide := part(text)
			next := styled(text[:length], style)
			next.Cells, text = wide, text[length:]
			if last := len(runs) - 1; last >= 0 && sameStyle(&runs[last], &next) {
				runs[last].Text += next.Text
				runs[last].Cells += next.Cells
				continue
			}
			runs = append(runs, next)
		}
	}
	for line != "" {
		at := strings.IndexByte(line, '\x1b')
		if at < 0 {
			add(line)
			break
		}
		add(line[:at])
		length, params, isStyle := cells.Escape(line[at:])
		if isStyle {
			cells.ReadStyle(params, style)
		}
		line = line[at+max(1, length):]
	}
	return runs
}

// part returns the length of the first part of a text that is of wide characters alone, with its cells, or of none.
func part(text string) (length, wide int) {
	for length < len(text) {
		cluster := cells.First(text[length:])
		if length > 0 && (cluster.Width > 1) != (wide > 0) {
			break
		}
		if length += cluster.Len; cluster.Width > 1 {
			wide += cluster.Width
		}
	}
	return length, wide
}

// clean leaves out what is no text: controls, and characters that change how others are read.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || cells.Hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func sameStyle(a, b *Run) bool {
	return a.Colour == b.Colour && a.Ground == b.Ground && a.Attributes == b.Attributes &&
		(a.Cells > 0) == (b.Cells > 0)
}

func styled(text string, style *cellbuf.Style) Run {
	r := Run{Text: text, Colour: colourOf(style.Fg), Ground: colourOf(style.Bg)}
	for _, attribute := range []struct {
		mask   cellbuf.AttrMask
		letter string
	}{
		{cellbuf.BoldAttr, "b"},
		{cellbuf.FaintAttr, "d"},
		{cellbuf.ItalicAttr, "i"},
		{cellbuf.ReverseAttr, "r"},
		{cellbuf.StrikethroughAttr, "s"},
	} {
		if style.Attrs.Contains(attribute.mask) {
			r.Attributes += attribute.letter
		}
	}
	if style.UlStyle != cellbuf.NoUnderline {
		r.Attributes += "u"
	}
	return r
}

// colourOf is a colour as pages have it.
func colourOf(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return fmt.Sprint(int(c))
	case ansi.IndexedColor:
		if c < 16 {
			return fmt.Sprint(int(c))
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

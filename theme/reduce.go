package theme

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// invisible attributes are not written: nothing blinks, and concealed text is
// drawn as blanks.
const invisible = cellbuf.SlowBlinkAttr | cellbuf.RapidBlinkAttr | cellbuf.ConcealAttr

// Reduce returns a pane's style as a level can show it.
func (l Level) Reduce(style cellbuf.Style) cellbuf.Style {
	if l == None {
		return cellbuf.Style{}
	}
	style.Attrs &^= invisible
	if l == Plain {
		style.Fg, style.Bg, style.Ul = nil, nil, nil
	}
	if l < Indexed && style.UlStyle != cellbuf.NoUnderline {
		style.UlStyle = cellbuf.SingleUnderline
	}
	if l < Indexed || style.UlStyle == cellbuf.NoUnderline {
		style.Ul = nil
	}
	style.Fg, style.Bg, style.Ul = l.nearest(style.Fg), l.nearest(style.Bg), l.nearest(style.Ul)
	return style
}

// nearest returns the colour that a level shows for another. The first sixteen are always
// kept: the user chose them.
func (l Level) nearest(c color.Color) color.Color {
	_, own := c.(ansi.BasicColor)
	switch {
	case c == nil, own, l == True:
		return c
	case l == Indexed:
		return ansi.Convert256(c)
	}
	return ansi.Convert16(c)
}

// Begin returns the sequence that sets a style, whatever was set before.
func Begin(style cellbuf.Style) string {
	if style.Empty() {
		return Reset
	}
	return "\x1b[0;" + style.Sequence()[len("\x1b["):]
}

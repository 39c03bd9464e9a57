package picture

import (
	"fmt"
	"image/color"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// colours returns the colours of a style, as SVG names them.
func colours(style cellbuf.Style) (front, back string) {
	front, back = hex(style.Fg, foreground), hex(style.Bg, background)
	if style.Attrs&cellbuf.ReverseAttr != 0 {
		return back, front
	}
	return front, back
}

// hex names a colour; nil is the terminal's own.
func hex(c color.Color, terminal string) string {
	switch c := c.(type) {
	case nil:
		return terminal
	case ansi.BasicColor:
		return palette[c]
	case ansi.IndexedColor:
		if int(c) < len(palette) {
			return palette[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

package widget

import (
	"strings"

	"cupola/theme"
)

// Gauge is a bar of w cells that is filled as far as some of a number are done. A part is never shown as nothing or as
// all. The progress of bubbles is not used: it renders a text with its own colours, which a line of a list cannot hold.
func Gauge(t *theme.Theme, done, total, w int) Line {
	filled := 0
	if total > 0 {
		filled = max(0, min(done*w/total, w))
	}
	if done > 0 && filled == 0 && total > 0 {
		filled = min(1, w)
	}
	return Line{
		{Token: theme.Good, Text: strings.Repeat(t.Glyphs().Filled, filled)},
		{Token: theme.Border, Text: strings.Repeat(t.Glyphs().Unfilled, max(0, w-filled))},
	}
}

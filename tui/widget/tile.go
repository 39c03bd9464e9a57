package widget

import (
	"cupola/theme"
	"cupola/tui/layout"
)

// Tile draws a live screen in a frame: the title in its upper border, the last
// rows below. It is what the grid is made of, so it builds nothing that was
// drawn before.
func Tile(t *theme.Theme, r layout.Rect, f Frame, s Shot, cache *Cache) []string {
	return frame(t, r, f, Screen(t, Inner(r), s, cache))
}

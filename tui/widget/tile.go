package widget

import (
	"cupola/theme"
	"cupola/tui/layout"
)

// Tile draws a live screen in a frame: the title in its upper border, the last
// rows below. A frame of the grid has a dozen: as cellbuf buffers they take 4 ms and
// 20,000 allocations, as cached lines a tenth of a millisecond (bench_test.go), and
// only so are they measured as the panes are.
func Tile(t *theme.Theme, r layout.Rect, f Frame, s Shot, cache *Cache) []string {
	return frame(t, r, f, Screen(t, Inner(r), s, cache))
}

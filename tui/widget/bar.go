package widget

import (
	"cupola/theme"
	"cupola/tui/layout"
)

// Bar draws one line: left from the left edge, right up to the right one. If both do not
// fit, left is cut. Further rows are blank.
func Bar(t *theme.Theme, r layout.Rect, left, right Line) []string {
	if r.Empty() {
		return pad(nil, r)
	}
	return pad([]string{painter{theme: t}.row(r.W, left, right)}, r)
}

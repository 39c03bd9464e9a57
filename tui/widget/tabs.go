package widget

import (
	"strconv"

	"cupola/theme"
	"cupola/tui/layout"
)

// Tab is a screen that a key opens.
type Tab struct {
	Key, Name string
	// Count is how many things there are to see; 0 shows none.
	Count int
	// Idle is true while the key does something else.
	Idle bool
	// Open is true for the screen on the display.
	Open bool
}

// Tabs draws the names of screens in a line, and returns where each is; an empty rect for one without room. Where not
// all names have room, only those of the open one and of those with a count are drawn, then only the open one's.
func Tabs(t *theme.Theme, r layout.Rect, tabs []Tab) (lines []string, places []layout.Rect) {
	var line Line
	for fold := range 3 {
		line, places = tabLine(r, tabs, fold)
		if line.Width() <= r.W {
			break
		}
	}
	return pad([]string{painter{theme: t}.row(r.W, line, nil)}, r), places
}

// tabLine writes the tabs; of those that are not open, fold leaves out the names without a count, then all names.
func tabLine(r layout.Rect, tabs []Tab, fold int) (line Line, places []layout.Rect) {
	for i, tab := range tabs {
		if i > 0 {
			line = append(line, Span{theme.Text, "  "})
		}
		at := line.Width()
		token := theme.Dim
		if tab.Open {
			token = theme.Strong
		}
		key := theme.Accent
		if tab.Idle {
			key = theme.Dim
		}
		line = append(line, Span{key, tab.Key})
		if tab.Open || fold == 0 || fold == 1 && tab.Count > 0 {
			line = append(line, Span{token, " " + tab.Name})
		}
		if tab.Count > 0 {
			line = append(line, Span{theme.Ask, " " + strconv.Itoa(tab.Count)})
		}
		place := layout.Rect{X: r.X + at, Y: r.Y, W: line.Width() - at, H: r.H}
		if at+place.W > r.W {
			place = layout.Rect{}
		}
		places = append(places, place)
	}
	return line, places
}

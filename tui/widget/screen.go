package widget

import (
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Anchor says which part of a screen is shown if not all of it fits.
type Anchor uint8

// The anchors.
const (
	// AnchorBottom shows the last rows that are not blank, from the left edge.
	AnchorBottom Anchor = iota
	// AnchorCursor shows the part around the cursor.
	AnchorCursor
)

// Shot is a captured screen to be drawn. Its lines may hold colours and
// attributes as SGR sequences, which last from line to line as tmux writes them;
// hyperlinks and every other control are left out.
type Shot struct {
	// Capture is the content of the pane's terminal; nil draws blanks.
	Capture *core.Screen
	Anchor  Anchor
	// Scroll is how many rows further up than the anchor the view begins; too much
	// shows the top.
	Scroll int
	// Drop is how many rows at the end are left out if not all rows fit.
	Drop int
	// Cursor shows the pane's cursor, if it is visible; Keys puts the terminal's there: see theme.Here.
	Cursor, Keys bool
}

// window is the part of a capture that is shown.
type window struct {
	top, left int
	// end is the first row after all that is not blank.
	end int
}

// Top returns the number of the first line of the capture that is seen in h
// rows, and how many lines there are to see.
func (s *Shot) Top(h int) (top, lines int) {
	if s.Capture == nil {
		return 0, 0
	}
	w := s.window(layout.Rect{W: s.Capture.View.Width, H: h})
	return w.top, w.end
}

func (s *Shot) window(r layout.Rect) window {
	screen := s.Capture
	w := window{end: len(screen.Lines)}
	row := s.cursorRow()
	for w.end > 0 && w.end-1 != row && empty(screen.Lines[w.end-1]) {
		w.end--
	}
	if w.end > r.H {
		w.end -= min(s.Drop, w.end-r.H)
	}
	w.top = max(0, w.end-r.H)
	if s.Anchor == AnchorCursor && row >= 0 {
		w.top = min(w.top, row)
		w.left = max(0, screen.View.Cursor.X-r.W+1)
	}
	w.top = max(0, w.top-max(0, s.Scroll))
	return w
}

// cursorRow is the line of the capture that holds the cursor, -1 for none.
func (s *Shot) cursorRow() int {
	cursor := s.Capture.View.Cursor
	row := max(0, len(s.Capture.Lines)-s.Capture.Visible) + cursor.Y
	if !cursor.Visible || cursor.Y < 0 || row >= len(s.Capture.Lines) {
		return -1
	}
	return row
}

// empty reports whether nothing but blanks is on a line.
func empty(line string) bool {
	for line != "" {
		cluster := cells.First(line)
		if !cluster.Escape && line[:cluster.Len] != " " {
			return false
		}
		line = line[cluster.Len:]
	}
	return true
}

// Screen draws a pane's screen in its own colours, reduced to what the theme's
// output can show. The user's own sixteen colours stay what they are. A wide
// character that is cut in two leaves blanks. Lines that were drawn before come
// from the cache.
func Screen(t *theme.Theme, r layout.Rect, s Shot, cache *Cache) []string {
	lines := make([]string, 0, max(0, r.H))
	if s.Capture != nil && !r.Empty() {
		lines = s.draw(lines, t, r, cache)
	}
	return pad(lines, r)
}

func (s *Shot) draw(lines []string, t *theme.Theme, r layout.Rect, cache *Cache) []string {
	w := s.window(r)
	captured, view := s.Capture.Lines, &s.Capture.View
	row := -1
	if s.Cursor {
		row = s.cursorRow()
	}
	var now pen
	for _, line := range captured[:w.top] {
		now = cache.carry(line, now)
	}
	// Blank rows at the bottom belong to a full-screen program; others were not printed.
	fillTo := w.end
	if view.AlternateOn {
		fillTo = len(captured)
	}
	for i := w.top; i < len(captured) && len(lines) < r.H; i++ {
		part := crop{
			level: t.Level(), from: w.left, width: r.W, pane: view.Width, apart: s.Capture.Apart, cursor: -1,
			fill: i < fillTo,
		}
		if i == row {
			part.cursor, part.keys = view.Cursor.X, s.Keys && t.Accessible()
		}
		drawn := cache.line(captured[i], now, part)
		lines, now = append(lines, drawn.text), drawn.end
	}
	return lines
}

// pad adds blank lines up to the height of a rect, and removes lines beyond it.
func pad(lines []string, r layout.Rect) []string {
	if len(lines) >= r.H {
		return lines[:max(0, r.H)]
	}
	filler := spaces(r.W)
	for len(lines) < r.H {
		lines = append(lines, filler)
	}
	return lines
}

var someSpaces = strings.Repeat(" ", 100)

func spaces(n int) string {
	if n <= len(someSpaces) {
		return someSpaces[:max(0, n)]
	}
	return strings.Repeat(" ", n)
}

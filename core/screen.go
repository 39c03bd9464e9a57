package core

import (
	"strings"
	"time"
)

// Screen is the content of a pane's terminal at one moment.
type Screen struct {
	Pane PaneID
	// Lines are the captured rows from top to bottom without their newlines:
	// history first where it was asked for, then the visible screen.
	Lines []string
	// Visible counts the rows at the end of Lines that are the visible screen.
	Visible int
	// Apart is true if the terminal server draws the skin tone of an emoji in cells of its
	// own, and ignores the variation selector that widens an emoji, as tmux before 3.4
	// does.
	Apart bool
	View  Viewport
	Title string
	// Launch is the command line with which Cupola started the program; empty if unknown. No engine sets it; the
	// observer does, which judges the screen.
	Launch string `json:"-"`
	// Taken is when the capture was requested. Later output is not in it.
	Taken time.Time
}

// Text joins all lines with newlines.
func (s *Screen) Text() string { return strings.Join(s.Lines, "\n") }

// Bottom returns the last n lines of the visible screen that are not blank, from top to
// bottom and without trailing blanks.
func (s *Screen) Bottom(n int) []string {
	from := max(0, len(s.Lines)-s.Visible)
	var lines []string
	for i := len(s.Lines) - 1; i >= from && len(lines) < n; i-- {
		if line := strings.TrimRight(s.Lines[i], " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return lines
}

// ScreensByPane returns screens by their panes.
func ScreensByPane(screens []Screen) map[PaneID]*Screen {
	found := make(map[PaneID]*Screen, len(screens))
	for i := range screens {
		found[screens[i].Pane] = &screens[i]
	}
	return found
}

package agent

import "cupola/core"

// Rows returns the visible rows of a screen as the rules see them: without escapes, trailing blanks and characters of
// no width.
func Rows(screen *core.Screen) []string { return newPage(screen).rows }

package agent

import (
	"strings"

	"cupola/core"
)

// Spoken reports for each line of the screen whether it is the agent's output. The input
// box, the rows below it, and the rows above it that only show that a turn runs or a prompt
// is queued are not. Without an input box all lines are, because a dialog may be in its
// place.
func (r *Reading) Spoken() []bool {
	spoken := make([]bool, r.page.offset+len(r.page.rows))
	for i := range spoken {
		spoken[i] = true
	}
	if !r.found {
		return spoken
	}
	first := min(max(r.composer.Top, 0), len(spoken))
	for i := first; i < len(spoken); i++ {
		spoken[i] = false
	}
	for _, m := range r.Matches() {
		if m.Row >= r.page.offset && m.Row < first && m.Rule.Region == Above && m.Rule.transient() {
			spoken[m.Row] = false
		}
	}
	for i := first - 1; i >= r.page.offset && (!spoken[i] || drawn(r.page.rows[i-r.page.offset])); i-- {
		spoken[i] = false
	}
	return spoken
}

// transient reports whether what a rule finds is redrawn in place, and no part of
// the conversation.
func (r *Rule) transient() bool {
	if r.State == core.Working {
		return true
	}
	for _, note := range r.Notes {
		if note == core.NoteQueued || note == core.NoteContextLow {
			return true
		}
	}
	return false
}

// drawn reports whether a row is blank or only a line.
func drawn(row string) bool {
	return strings.Trim(row, "─━▔▁▄▀═╭╮╰╯│┃ \t") == ""
}

// Beside returns a line without what is drawn beside the agent's output, such as a side
// bar. The line must not contain escapes.
func (r *Reading) Beside(line string) string {
	if !r.found || r.composer.frame.left == 0 {
		return line
	}
	return r.composer.frame.cut(line)
}

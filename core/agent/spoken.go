package agent

import (
	"strings"

	"cupola/core"
)

// Spoken reports for each of the screen's lines whether it is the agent's words: all
// but its input box, what is below that, and the rows above it that only say
// that a turn runs or a prompt is queued. Where no input box is drawn, a dialog
// may be in its place, which is worth reading, and all lines count.
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

// Beside cuts off what is beside the agent's words, such as a side bar. The
// line must hold no escapes.
func (r *Reading) Beside(line string) string {
	if !r.found || r.composer.frame.left == 0 {
		return line
	}
	return r.composer.frame.cut(line)
}

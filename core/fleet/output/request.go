package output

import (
	"cupola/core"
	"cupola/core/fleet/resolve"
)

// Request asks for the output of panes.
type Request struct {
	Target resolve.Target
	// Lines is how many lines to return, counted from the bottom without trailing blank ones; 0 is the whole
	// screen.
	Lines int
	// Escapes keeps colours.
	Escapes bool
	// StripUI leaves out the agent's interface: its input box, side and foot lines, and its progress row.
	StripUI bool
	// Since are marks of earlier answers: of their panes, all output since then is returned.
	Since []string
	// Captured, if not nil, is called after each capture of Follow.
	Captured func()
}

// Shown are lines that a pane shows.
type Shown struct {
	// Source is "screen" or "history": on the alternate screen there is no history of the agent's.
	Source string `json:"source,omitempty"`
	// Complete is true if no requested line above Lines is missing; Why explains what is missing
	// otherwise.
	Complete bool     `json:"complete"`
	Why      string   `json:"why,omitempty"`
	Lines    []string `json:"lines"`
}

// Tail is the output of one pane.
type Tail struct {
	core.PaneRef
	Status core.Status
	Shown
	View core.Viewport
	// Mark is the place after the last line, for Since of a later request.
	Mark string
}

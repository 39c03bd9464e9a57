package output

import (
	"cupola/core"
	"cupola/core/fleet/resolve"
)

// Request asks for what panes show.
type Request struct {
	Target resolve.Target
	// Lines is how many lines, counted from the bottom and without trailing
	// blank ones; 0 is all that the screen shows.
	Lines int
	// Escapes keeps colours.
	Escapes bool
	// StripUI leaves out what an agent draws around its words: its input box, its
	// side and foot lines, and the row that says that it works.
	StripUI bool
	// Since are marks of earlier answers: of the panes that they name, only what
	// was said since is given, however much that is.
	Since []string
	// Looked, if not nil, is called each time Follow has read what panes show.
	Looked func()
}

// Tail is what one pane shows.
type Tail struct {
	core.PaneRef
	Status core.Status
	Lines  []string
	// Source is "screen" or "history".
	Source string
	// Complete is true if nothing above Lines is missing that was asked for.
	Complete bool
	// Why says what is missing and why where Complete is false.
	Why  string
	View core.Viewport
	// Mark is the place after the last line, for the Since of a later request.
	Mark string
}

package fleet

import "cupola/core"

// Target says which panes of one session are meant. With only Session set, it
// is all its agent panes; a Session that is a pane's address (SESSION.N, %ID or
// SESSION:WINDOW.PANE) means that pane alone.
type Target struct {
	Session string
	// Panes are ordinals, engine ids or agent names; empty means all.
	Panes []string
	// Kinds are ids or short names of agent kinds; empty means all.
	Kinds []string
	// Exclude takes panes out again, in the form of Panes.
	Exclude []string
	// All includes user panes.
	All bool
}

// PaneRef names a pane in answers and results.
type PaneRef struct {
	Session string      `json:"session"`
	Ordinal int         `json:"ordinal"`
	Pane    core.PaneID `json:"pane"`
	Agent   string      `json:"agent"`
	Kind    core.Kind   `json:"kind"`
}

// Ref returns the reference of a pane.
func Ref(pane *core.Pane) PaneRef {
	return PaneRef{Session: pane.Session, Ordinal: pane.Ordinal, Pane: pane.ID, Agent: pane.Agent.Name, Kind: pane.Agent.Kind}
}

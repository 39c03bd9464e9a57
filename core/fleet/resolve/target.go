package resolve

import "cupola/core"

// Target says which panes of one session are meant. With only Session set, it
// is all its agent panes; a Session that is a pane's address (SESSION.N, %ID or
// SESSION:WINDOW.PANE) means that pane alone. What acts on panes or waits for them
// leaves out commands of the user's own, as Prompted does.
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
	// Prompted leaves out panes that run a command of the user's own, which take no
	// prompts, unless All includes them or Session, Panes or Kinds name them.
	Prompted bool
}

// ForPrompts returns the target with Prompted set, as what acts on panes or waits for them
// means it.
func (t Target) ForPrompts() Target {
	t.Prompted = true
	return t
}

// TakesPrompts reports whether panes of a kind hold an agent, not a shell or a command
// of the user's own.
func TakesPrompts(kind core.Kind) bool { return kind != "" && kind != core.KindCommand }

// Narrowed reports whether more than a session is named.
func (t Target) Narrowed() bool { return len(t.Panes)+len(t.Kinds)+len(t.Exclude) > 0 }

// unnamed reports whether a pane is meant although nothing names it.
func (t Target) unnamed(pane *core.Pane) bool {
	switch {
	case t.All:
		return true
	case t.Prompted && len(t.Kinds) == 0:
		return TakesPrompts(pane.Agent.Kind)
	}
	return pane.IsAgent()
}

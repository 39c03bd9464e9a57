package resolve

import "cupola/core"

// Target selects panes of one session. With only Session set, it selects all its agent panes; a Session that
// is a pane's address (SESSION.N, %ID or SESSION:WINDOW.PANE) selects that pane alone. Operations that act on
// panes or wait for them leave out the user's own commands, see Prompted.
type Target struct {
	Session string
	// Panes are ordinals, engine ids or agent names; empty means all.
	Panes []string
	// Kinds are ids or short names of agent kinds; empty means all.
	Kinds []string
	// Exclude removes panes, in the form of Panes.
	Exclude []string
	// All includes user panes.
	All bool
	// Prompted leaves out panes that run the user's own commands, which take no prompts, unless All includes
	// them or Session, Panes or Kinds name them.
	Prompted bool
}

// ForPrompts returns the target with Prompted set, for operations that act on panes or wait for them.
func (t Target) ForPrompts() Target {
	t.Prompted = true
	return t
}

// TakesPrompts reports whether panes of a kind hold an agent, not a shell or a user's command.
func TakesPrompts(kind core.Kind) bool { return kind != "" && kind != core.KindCommand }

// Narrowed reports whether the target names more than a session.
func (t Target) Narrowed() bool { return len(t.Panes)+len(t.Kinds)+len(t.Exclude) > 0 }

// unnamed reports whether the target selects a pane without naming it.
func (t Target) unnamed(pane *core.Pane) bool {
	switch {
	case t.All:
		return true
	case t.Prompted && len(t.Kinds) == 0:
		return TakesPrompts(pane.Agent.Kind)
	}
	return pane.IsAgent()
}

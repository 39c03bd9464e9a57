package resolve

import "cupola/core"

// Target selects panes of one session. With only Session set, it selects all its agent and command panes; a Session
// that is a pane's address (SESSION.N, %ID or SESSION:WINDOW.PANE) selects that pane alone. Operations that act on
// agents, wait for them or count them leave out command panes, see Prompted.
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
	// Prompted leaves out the panes that core.AddresseesOf leaves beside, unless All includes them or Session, Panes
	// or Kinds name them.
	Prompted bool
	// Team has Prompted include the members of teams that other agents started.
	Team bool
	// Kept are left out, also where they are named.
	Kept Kept
}

// ForPrompts returns the target with Prompted set, for operations that act on agents, wait for them or count them.
func (t Target) ForPrompts() Target {
	t.Prompted = true
	return t
}

// Narrowed reports whether the target names more than a session.
func (t Target) Narrowed() bool { return len(t.Panes)+len(t.Kinds)+len(t.Exclude) > 0 }

// unnamed reports whether the target selects a pane without naming it.
func (t Target) unnamed(pane *core.Pane) bool {
	switch {
	case t.All:
		return true
	case t.Prompted && (pane.Agent.Role == core.RoleMember || pane.Agent.Role == core.RoleOverview):
		return t.Team && pane.Agent.Role == core.RoleMember
	case t.Prompted && len(t.Kinds) == 0:
		return pane.WhyBeside() == ""
	}
	return !pane.IsUser()
}

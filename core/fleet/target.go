package fleet

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

// prompted is the target of what acts on panes or waits for them.
func (t Target) prompted() Target {
	t.Prompted = true
	return t
}

// takesPrompts reports whether panes of a kind hold an agent, not a shell or a command
// of the user's own.
func takesPrompts(kind core.Kind) bool { return kind != "" && kind != core.KindCommand }

// narrowed reports whether more than a session is named.
func (t Target) narrowed() bool { return len(t.Panes)+len(t.Kinds)+len(t.Exclude) > 0 }

// unnamed reports whether a pane is meant although nothing names it.
func (t Target) unnamed(pane *core.Pane) bool {
	switch {
	case t.All:
		return true
	case t.Prompted && len(t.Kinds) == 0:
		return takesPrompts(pane.Agent.Kind)
	}
	return pane.IsAgent()
}

// PaneRef names a pane in answers and results.
type PaneRef struct {
	Session string `json:"session"`
	// Ordinal is the N of SESSION.N, stable for panes that Cupola made.
	Ordinal int `json:"ordinal"`
	// Pane is the engine's id, such as %7; empty for one that is not made yet.
	Pane core.PaneID `json:"pane,omitempty"`
	// Agent is the agent's name in its session, Kind its kind and Variant the model where that is known; empty for a
	// user pane.
	Agent   string    `json:"agent,omitempty"`
	Kind    core.Kind `json:"kind,omitempty"`
	Variant string    `json:"variant,omitempty"`
}

// Same reports whether p and q name the same pane.
func (p PaneRef) Same(q PaneRef) bool {
	p.Variant, q.Variant = "", ""
	return p == q
}

// SeenPane is a pane with the status that it had when it was looked at.
type SeenPane struct {
	PaneRef
	Status core.Status
}

// seenPane returns a pane as it was seen.
func seenPane(pane *core.Pane) SeenPane { return SeenPane{PaneRef: Ref(pane), Status: pane.Status} }

// Ref returns the reference of a pane.
func Ref(pane *core.Pane) PaneRef {
	return PaneRef{
		Session: pane.Session, Ordinal: pane.Ordinal, Pane: pane.ID, Agent: pane.Agent.Name, Kind: pane.Agent.Kind, Variant: pane.Agent.Variant,
	}
}

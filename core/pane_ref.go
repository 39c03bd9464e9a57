package core

// PaneRef names a pane in answers and results.
type PaneRef struct {
	Session string `json:"session" names:"session"`
	// Ordinal is the N of SESSION.N, stable for panes that Cupola made.
	Ordinal int `json:"ordinal"`
	// Pane is the engine's id, such as %7; empty for a pane that does not exist yet.
	Pane PaneID `json:"pane,omitempty"`
	// Agent is the agent's name in its session, Kind its kind and Variant the model where that
	// is known; all are empty for a user pane.
	Agent   string `json:"agent,omitempty"`
	Kind    Kind   `json:"kind,omitempty"`
	Variant string `json:"variant,omitempty"`
	// Mode is how much it may do unasked, and Profile the settings that it was started with; empty where unknown.
	Mode    Mode   `json:"mode,omitempty"`
	Profile string `json:"profile,omitempty"`
	// Sandbox is the sandbox that holds it; empty for none.
	Sandbox string `json:"sandbox,omitempty"`
}

// Same reports whether r and other name the same pane.
func (r PaneRef) Same(other PaneRef) bool {
	r.Variant, r.Mode, r.Profile, r.Sandbox = "", "", "", ""
	other.Variant, other.Mode, other.Profile, other.Sandbox = "", "", "", ""
	return r == other
}

// Address returns the pane's SESSION.N.
func (r PaneRef) Address() string { return AddressOf(r.Session, r.Ordinal).String() }

// Ref returns the reference of a pane.
func (p *Pane) Ref() PaneRef {
	return PaneRef{
		Session: p.Session, Ordinal: p.Ordinal, Pane: p.ID,
		Agent: p.Agent.Name, Kind: p.Agent.Kind, Variant: p.Agent.Variant,
		Mode: p.Agent.Mode, Profile: p.Agent.Profile, Sandbox: p.Agent.Sandbox,
	}
}

// Refs returns the references of panes.
func Refs(panes []*Pane) []PaneRef {
	return Map(panes, (*Pane).Ref)
}

// SeenPane is a pane with its status when it was observed.
type SeenPane struct {
	PaneRef
	Status Status
}

// Seen returns a pane with its status.
func (p *Pane) Seen() SeenPane { return SeenPane{PaneRef: p.Ref(), Status: p.Status} }

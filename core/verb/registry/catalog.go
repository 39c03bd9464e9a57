package registry

import (
	"slices"

	"cupola/core"
)

// Plan is a verb that is known but does not exist yet.
type Plan struct {
	Name  string `json:"name"`
	Short string `json:"description"`
}

// Catalog is the list of verbs.
type Catalog struct {
	// Verbs are in the order in which help shows them, with the aliases among them, which it does not show.
	Verbs []*Verb
	// Planned are known names that answer NOT_IMPLEMENTED.
	Planned []Plan
	// Installed reports whether the program of an external tool is there; nil if none is.
	Installed func(tool string) bool
}

// Find returns the verb with a name or alias; nil if there is none.
func (c *Catalog) Find(name string) *Verb {
	for _, verb := range c.Verbs {
		if verb.Name == name || slices.Contains(verb.Aliases, name) {
			return verb
		}
	}
	return nil
}

// Implied returns the verb that a flag means on a line that names none; nil if it means none.
func (c *Catalog) Implied(flag string) *Verb {
	for _, verb := range c.Verbs {
		if slices.Contains(verb.ImpliedBy, flag) {
			return verb
		}
	}
	return nil
}

// IsPlanned reports whether a verb of that name is planned.
func (c *Catalog) IsPlanned(name string) bool { return c.Plan(name) != nil }

// Plan returns the planned verb of a name; nil if there is none.
func (c *Catalog) Plan(name string) *Plan {
	for i := range c.Planned {
		if c.Planned[i].Name == name {
			return &c.Planned[i]
		}
	}
	return nil
}

// Missing is the error of a verb that is planned.
func (p *Plan) Missing() *core.Error {
	return &core.Error{
		Code: core.NotImplemented, Message: p.Name + " is planned and does not exist yet",
		Details: map[string]any{"verb": p.Name, "description": p.Short},
	}
}

// Names returns the names of all verbs, the real ones first, then of the aliases and of the planned ones.
func (c *Catalog) Names() []string {
	var names []string
	for _, verb := range slices.Concat(c.RealVerbs(), c.Aliases()) {
		names = append(names, verb.Name)
	}
	for _, plan := range c.Planned {
		names = append(names, plan.Name)
	}
	return names
}

// TakenBy returns the names of the real verbs that take a flag, and those of aliases if no real one takes it.
func (c *Catalog) TakenBy(flag string) []string {
	for _, verbs := range [][]*Verb{c.RealVerbs(), c.Aliases()} {
		var names []string
		for _, verb := range verbs {
			if verb.Field(flag) != nil {
				names = append(names, verb.Name)
			}
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// Groups returns the groups of the real verbs, in the order of the verbs.
func (c *Catalog) Groups() []string {
	var groups []string
	for _, verb := range c.RealVerbs() {
		if !slices.Contains(groups, verb.Group) {
			groups = append(groups, verb.Group)
		}
	}
	return groups
}

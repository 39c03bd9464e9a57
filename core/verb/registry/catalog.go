package registry

import (
	"slices"

	"cupola/core"
)

// Catalog is the list of verbs.
type Catalog struct {
	// Verbs are in the order in which help shows them, with the aliases among them, which it does not show.
	Verbs []*Verb
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

// Names returns the names of all verbs, the real ones first.
func (c *Catalog) Names() []string {
	return core.Map(slices.Concat(c.RealVerbs(), c.Aliases()), func(verb *Verb) string { return verb.Name })
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

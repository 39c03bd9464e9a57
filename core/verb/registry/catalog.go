package registry

import (
	"reflect"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
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
	return core.Find(c.Verbs, func(v *Verb) bool { return v.Name == name || slices.Contains(v.Aliases, name) })
}

// Implied returns the verb that a flag means on a line that names none; nil if it means none.
func (c *Catalog) Implied(flag string) *Verb {
	return core.Find(c.Verbs, func(v *Verb) bool { return slices.Contains(v.ImpliedBy, flag) })
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

// As returns the declaration of another name of the verb that s declares. Of is as in Spec: its flags are the defaults
// of the inputs under that name. Other names and forms of s are not those of the alias.
func (s Spec[Deps, In, Out]) As(name, of, short string, examples ...string) Spec[Deps, In, Out] {
	if s.Schema == "" {
		s.Schema = s.Name
	}
	s.Name, s.Of, s.Short, s.Long, s.Examples = name, of, short, "", examples
	s.Aliases, s.ImpliedBy = nil, nil
	return s
}

// RealVerbs returns the verbs that are no aliases, in the order of the catalog: those that help and lists show.
func (c *Catalog) RealVerbs() []*Verb { return c.choose(func(v *Verb) bool { return v.Of == "" }) }

// Usable reports whether help lists a verb: it is no alias, and its tool, if it needs one, is installed.
func (c *Catalog) Usable(v *Verb) bool {
	return v.Of == "" && (v.Tool == "" || c.Installed != nil && c.Installed(v.Tool))
}

// Aliases returns the verbs that are other names of real ones, in the order of the catalog.
func (c *Catalog) Aliases() []*Verb { return c.choose(func(v *Verb) bool { return v.Of != "" }) }

// Listed returns the forms of real verbs among those that Completions returned, and all of them if none is of a real
// verb.
func Listed(completions map[string]*Verb) map[string]*Verb {
	listed := map[string]*Verb{}
	for form, verb := range completions {
		if verb.Of == "" {
			listed[form] = verb
		}
	}
	if len(listed) == 0 {
		return completions
	}
	return listed
}

func (c *Catalog) choose(is func(*Verb) bool) []*Verb {
	return slices.DeleteFunc(slices.Clone(c.Verbs), func(v *Verb) bool { return !is(v) })
}

// preset sets the inputs that the flags of an alias's command give, as far as its own input has them. It panics on a
// value that the input does not take.
func preset(defaults reflect.Value, of string) {
	words, err := shell.Words(of)
	if err != nil {
		panic("registry: bad command of an alias: " + of)
	}
	fields := fieldsOf(defaults.Type(), defaults)
	for _, word := range words {
		name, text, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if !given {
			text = "true"
		}
		for _, field := range fields {
			if !strings.HasPrefix(word, "--") || field.Name != name {
				continue
			}
			target := defaults.FieldByIndex(field.index)
			target.SetZero()
			if err := setField(field, target, text); err != nil {
				panic("registry: bad command of an alias: " + err.Error())
			}
		}
	}
}

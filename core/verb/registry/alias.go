package registry

import (
	"reflect"
	"strings"

	"cupola/core/system/shell"
)

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

// Listed returns the forms of real verbs among those that Begun returned, and all of them if none is of a real verb.
func Listed(begun map[string]*Verb) map[string]*Verb {
	listed := map[string]*Verb{}
	for form, verb := range begun {
		if verb.Of == "" {
			listed[form] = verb
		}
	}
	if len(listed) == 0 {
		return begun
	}
	return listed
}

func (c *Catalog) choose(is func(*Verb) bool) []*Verb {
	var verbs []*Verb
	for _, verb := range c.Verbs {
		if is(verb) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
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

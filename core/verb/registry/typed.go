package registry

import (
	"reflect"
	"slices"

	"cupola/core"
)

// Taking returns the verb whose input has the type of a value; nil if none has.
func (c *Catalog) Taking(in any) *Verb {
	of := reflect.TypeOf(in)
	return core.Find(c.Verbs, func(v *Verb) bool { return v.takes == of && of != nil })
}

// Target is the target of a call: a session or pane by its word, or several panes. An empty part keeps the input's own.
type Target struct {
	Session string
	Panes   []string
}

// Ready returns an input that was made in the program as a call takes it: with the verb's defaults for what is zero,
// and for a target. A verb that takes none is InternalError.
func Ready(v *Verb, in any, at Target) (any, error) {
	value := changeable(in)
	defaults := v.shape().defaults
	for _, field := range v.Fields() {
		if target := value.FieldByIndex(field.index); target.IsZero() {
			target.Set(defaults.FieldByIndex(field.index))
		}
	}
	for name, words := range map[string][]string{"session": nonempty(at.Session), "panes": at.Panes} {
		if len(words) == 0 {
			continue
		}
		field := fieldNamed(v, name)
		if field == nil {
			return nil, core.Errorf(core.InternalError, "%s takes no %s", v.Name, name)
		}
		if target := value.FieldByIndex(field.index); target.Kind() == reflect.String {
			target.SetString(words[0])
		} else {
			target.Set(reflect.ValueOf(words).Convert(target.Type()))
		}
	}
	return value.Interface(), nil
}

func nonempty(word string) []string {
	if word == "" {
		return nil
	}
	return []string{word}
}

// fieldNamed returns the input of a name, be it a flag or an argument; nil if there is none.
func fieldNamed(v *Verb, name string) *Field {
	return core.Find(v.Fields(), func(f *Field) bool { return f.Name == name })
}

// Said returns a summary of an answer, or of the details of a failure, in one line that may follow other words: the
// result of its method Said. It is empty for a value without one.
func Said(answer any) string {
	if own, is := answer.(interface{ Said() string }); is {
		return own.Said()
	}
	return ""
}

// Spent returns the cost of the call, in dollars: the result of the value's method Spent. It is not known for a value
// without one.
func (r *Reply) Spent() (usd float64, known bool) {
	if spender, is := r.Value.(interface{ Spent() (float64, bool) }); is {
		return spender.Spent()
	}
	return 0, false
}

// Said returns a summary of the answer in one line: the result of its value's Said, else the lines that people see.
func (r *Reply) Said() string {
	if said := Said(r.Value); said != "" {
		return said
	}
	if shown := r.Report(); shown != nil {
		return shown.Sentence()
	}
	return ""
}

// Given is an input of a verb with its value, as Fill takes it.
type Given struct {
	Name  string
	Value any
}

// Values are the inputs of a verb that differ from their defaults, in the order of its fields. Fill makes the same
// input of them.
func Values(v *Verb, in any) []Given {
	var all []Given
	value := reflect.ValueOf(in)
	for _, field := range v.Fields() {
		target := value.FieldByIndex(field.index)
		if v.isDefault(field, target) {
			continue
		}
		given := Given{Name: field.Name, Value: typed(target)}
		switch field.Type {
		case "list":
			given.Value = slices.Clone(listOf(target))
		case "bool", "int":
			given.Value = target.Interface()
		}
		all = append(all, given)
	}
	return all
}

// Addressed returns an input with each address, which may name another host, replaced by the result of put.
func Addressed(v *Verb, in any, put func(address string) string) any {
	value := changeable(in)
	for _, field := range v.Fields() {
		if !field.Means.Addressed() {
			continue
		}
		switch target := value.FieldByIndex(field.index); target.Kind() {
		case reflect.String:
			target.SetString(put(target.String()))
		case reflect.Slice:
			own, is := target.Interface().([]string)
			if !is {
				continue
			}
			own = slices.Clone(own)
			for i := range own {
				own[i] = put(own[i])
			}
			target.Set(reflect.ValueOf(own).Convert(target.Type()))
		}
	}
	return value.Interface()
}

// Addresses calls each with every address in an input, as Addressed does.
func Addresses(v *Verb, in any, each func(address string)) {
	_ = Addressed(v, in, func(address string) string {
		each(address)
		return address
	})
}

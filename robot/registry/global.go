package registry

import (
	"reflect"

	"cupola/core"
)

// Globals are the flags that every verb takes. They choose the face and the
// form of the answer, never what is done.
type Globals struct {
	Robot     bool     `help:"Answer for programs, as JSON unless another format is asked for"`
	JSON      bool     `flag:"json,J" help:"The same as --robot"`
	Human     bool     `help:"Answer for people, also where stdout is not a terminal"`
	Format    string   `flag:"robot-format" enum:"json,toon,markdown,terse,ndjson" help:"Format of robot answers"`
	Pretty    bool     `help:"Indent JSON"`
	Fields    []string `help:"Columns of the verb's list, or minimal, standard, full; dots reach into objects"`
	Envelope  string   `enum:"flat,data" help:"Frame of robot answers: flat, or everything under data"`
	Errors    string   `enum:"stdout,stderr" help:"Where failures are written in robot mode"`
	ExitCodes string   `enum:"default,detailed" help:"Exit status: 0, 1, 2 and 130, or one number per error code"`
	Progress  string   `enum:"off,stderr,stdout" help:"Where long operations tell how far they are"`
	Color     string   `enum:"auto,always,never" help:"Colour on a terminal"`
	Verbose   bool     `flag:"verbose,v" help:"Answer in more detail"`
	Quiet     bool     `flag:"quiet,q" help:"No tips, no progress"`
}

// GlobalFields are the global flags as fields.
var GlobalFields = fieldsOf(reflect.TypeFor[Globals](), reflect.ValueOf(Globals{}), "")

var globalNames = func() map[string]bool {
	names := map[string]bool{}
	for i := range GlobalFields {
		names[GlobalFields[i].Name] = true
	}
	return names
}()

// GlobalField returns the global flag with a name or one-letter form; nil if
// there is none.
func GlobalField(name string) *Field {
	if name == "" {
		return nil
	}
	for i := range GlobalFields {
		if GlobalFields[i].Named(name) || GlobalFields[i].Short == name {
			return &GlobalFields[i]
		}
	}
	return nil
}

// Set sets one global flag from text.
func (g *Globals) Set(field *Field, text string) error {
	target := reflect.ValueOf(g).Elem().FieldByIndex(field.index)
	if field.Type == "bool" && text == "" {
		text = "true"
	}
	return setField(field, target, text)
}

// Apply passes the global flags that a verb's own input repeats on to it.
func (g *Globals) Apply(b *Bound) error {
	for i := range b.verb.Fields {
		name := b.verb.Fields[i].Name
		if field := GlobalField(name); field != nil {
			value := reflect.ValueOf(g).Elem().FieldByIndex(field.index)
			if value.IsZero() {
				continue
			}
			if err := b.Set(name, typed(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// PositionalOf returns the field that takes the value of --robot-NAME=VALUE, or
// an error for verbs that take none.
func (v *Verb) PositionalOf(value string) (*Field, error) {
	if field := v.argument(1); field != nil && field.Arg == 1 {
		return field, nil
	}
	return nil, &core.Error{
		Code: core.InvalidFlag, Message: v.RobotFlag() + " takes no value, but got " + Quote(value),
		Hint: "Usage: " + v.RobotFlag(),
	}
}

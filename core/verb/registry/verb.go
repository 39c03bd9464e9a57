package registry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
)

// Verb is a declared operation.
type Verb struct {
	// Doing is as in Spec; empty for a verb that ends at once.
	Name, Group, Short, Long, Doing string
	// Of is as in Spec; empty for a real verb.
	Of             string
	Aliases, Words []string
	ImpliedBy      []string
	Scope          Scope
	// Effect is the effect of the verb, and Level the level that a caller needs for it, at least as much.
	Effect, Level Effect
	Schema        string
	List          string
	Format        string
	Errors        []core.Code
	// Tool is the id of the external tool whose action the verb is; empty for Cupola's own verbs.
	Tool string
	// Related are the names of the verbs that SeeAlso was given.
	Related []string
	// Streams is true for verbs that always answer line by line.
	Streams bool
	// ForPrograms is true for verbs that answer programs also where stdout is a terminal.
	ForPrograms bool
	// Local is true for verbs that servers do not call for their clients.
	Local bool
	// OnTerminals is true for verbs that need terminals alone.
	OnTerminals bool
	// Programs and Sessionless are as in Spec.
	Programs, Sessionless bool

	// takes is the type of the input, of a verb that was defined.
	takes reflect.Type
	// shape is called where the types are needed.
	shape     func() *shape
	examples  func() []string
	streaming func(in any) bool
	fits      func(in any) error
	run       func(ctx context.Context, env Env, in any, emit func(any) error) (*Reply, error)
}

// shape is a verb's types, and its input before anything is given.
type shape struct {
	input, output reflect.Type
	// line is the type of a stream's lines before the last; nil for other verbs.
	line     reflect.Type
	defaults reflect.Value
	fields   []*Field
	// presets are the presets of the list, and examples inputs, for verbs whose types are data.
	presets  map[string][]string
	examples []any
}

// Reply is a verb's answer.
type Reply struct {
	// Value is the verb's output struct.
	Value any
	Hints *Hints
	Next  []Action

	human func() *report.Report
	plan  func() []string
}

// Report describes the answer for people; nil if the verb does not say how.
func (r *Reply) Report() *report.Report {
	if r.human == nil {
		return nil
	}
	shown := r.human()
	for _, next := range r.Next {
		if shown != nil && next.Action == nextPage {
			shown.Next = append(shown.Next, report.Tip{Command: next.Command, Does: "see the next page"})
		}
	}
	return shown
}

// Plan returns the command that should take over the terminal; nil if none.
func (r *Reply) Plan() []string {
	if r.plan == nil {
		return nil
	}
	return r.plan()
}

// Warn adds a warning to the reply's hints.
func (r *Reply) Warn(warnings ...string) {
	if len(warnings) == 0 {
		return
	}
	if r.Hints == nil {
		r.Hints = &Hints{}
	}
	r.Hints.Warnings = append(r.Hints.Warnings, warnings...)
}

// Call validates the input, opens what the verb works with, and runs it. Every failure is a
// *core.Error: a panic becomes InternalError, and an end of ctx Cancelled. Emit takes the
// lines of a streaming verb and may be nil for others.
func (v *Verb) Call(ctx context.Context, env Env, in any, emit func(any) error) (reply *Reply, err error) {
	caller := env.Who()
	defer func() {
		if r := recover(); r != nil {
			if caller.Log != nil {
				caller.Log.Error("panic", "verb", v.Name, "value", r, "stack", string(debug.Stack()))
			}
			reply, err = nil, &core.Error{
				Code: core.InternalError, Op: v.Name, Message: fmt.Sprintf("%s: internal error: %v", v.Name, r),
			}
		}
	}()
	if reflect.TypeOf(in) != v.Input() {
		return nil, core.Errorf(core.InternalError, "%s: the input is a %T", v.Name, in)
	}
	if err := v.Check(in); err != nil {
		return nil, offered(ctx, v, env, err)
	}
	defer func() {
		if err != nil {
			err = qualifyError(caller.Host, core.AsError(err))
		}
	}()
	reply, err = v.run(ctx, env, in, emit)
	switch {
	case err == nil:
		turn(v, in, reply)
		suggestRelated(v.Related, v, caller.Catalog, in, reply)
		if caller.Catalog != nil {
			reply.Next = Advice{Catalog: caller.Catalog, Robotic: !caller.Human}.actions(reply.Next)
		}
		if !caller.Human {
			suggestRelated([]string{overview}, v, caller.Catalog, nil, reply)
		}
		if !caller.Human {
			reply.Warn(caller.Warnings()...)
		}
		return reply, nil
	case errors.Is(ctx.Err(), context.Canceled):
		// The answer keeps the part that was done before the interruption, and how to resume.
		e := core.AsError(err)
		return nil, &core.Error{
			Code: core.Cancelled, Op: v.Name, Message: v.Name + " was interrupted", Hint: e.Hint,
			Remedies: e.Remedies, Subject: e.Subject, Details: e.Details, Err: err,
		}
	default:
		return nil, core.AsError(err)
	}
}

// Fields are the inputs that the verb takes, in the order of its input struct.
// The caller must not change them.
func (v *Verb) Fields() []*Field { return v.shape().fields }

// Examples are shell commands that run as written on a fleet that has the
// sessions they name.
func (v *Verb) Examples() []string { return v.examples() }

// Output returns the type of the verb's answers.
func (v *Verb) Output() reflect.Type { return v.shape().output }

// Line returns the type of the lines before the last, for verbs that stream, always
// or where they are asked to; nil for others.
func (v *Verb) Line() reflect.Type { return v.shape().line }

// As returns a verb as it answers an input: one that streams has no list.
func As(v *Verb, in any) *Verb {
	if v.Streams || v.streaming == nil || !v.streaming(in) {
		return v
	}
	flowing := *v
	flowing.Streams, flowing.List = true, ""
	return &flowing
}

// Input returns the type of the verb's input.
func (v *Verb) Input() reflect.Type { return v.shape().input }

// RobotFlag is the verb's flag form without a value.
func (v *Verb) RobotFlag() string { return "--robot-" + v.Name }

// Names returns the verb's name and aliases.
func (v *Verb) Names() []string { return append([]string{v.Name}, v.Aliases...) }

// Field returns the input that a flag's name, alias or one-letter form sets;
// nil if none does.
func (v *Verb) Field(name string) *Field {
	return core.Find(v.Fields(), func(f *Field) bool {
		return f.Flag() && (f.Named(name) || name != "" && f.Short == name)
	})
}

// Flags returns the names of the flags that the verb takes, sorted.
func (v *Verb) Flags() []string {
	names := []string{}
	for _, field := range v.Fields() {
		if field.Flag() {
			names = append(names, "--"+field.Name)
		}
	}
	slices.Sort(names)
	return names
}

// argument returns the field at a position, from 1; nil if there is none. The field
// that takes the rest is at every position behind the last of the others.
func (v *Verb) argument(n int) *Field {
	var rest *Field
	last := 0
	for _, field := range v.Fields() {
		switch field.Arg {
		case n:
			return field
		case Rest:
			rest = field
		default:
			last = max(last, field.Arg)
		}
	}
	if n > last {
		return rest
	}
	return nil
}

// Usage is the verb's command line in words: "cupola tail SESSION [flags]".
func (v *Verb) Usage() string {
	words := []string{"cupola", v.Name}
	for n := 1; ; n++ {
		field := v.argument(n)
		if field == nil {
			break
		}
		word := field.placeholder()
		if !field.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
		if field.Arg == Rest {
			break
		}
	}
	if field := v.inline(); field != nil && !field.Legacy && v.argument(1) == nil {
		words = append(words, "["+strings.ToUpper(field.Name)+"]")
	}
	return strings.Join(append(words, "[flags]"), " ")
}

func (f *Field) placeholder() string {
	word := strings.ToUpper(f.Name)
	switch f.Arg {
	case Rest:
		return word + "..."
	case 0:
		return "--" + f.Name + "=" + strings.ToUpper(f.Type)
	}
	return word
}

// shown is the field as messages name it.
func (f *Field) shown() string {
	if f.Flag() {
		return "--" + f.Name
	}
	return strings.ToUpper(f.Name)
}

// Zero returns the verb's default input.
func (v *Verb) Zero() any { return v.shape().defaults.Interface() }

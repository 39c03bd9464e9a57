package registry

import (
	"context"
	"reflect"
	"sync"

	"cupola/core"
	"cupola/core/text/report"
)

// Declaration declares a verb whose input and answer are data, not structs of
// the program. All but Long, List and Errors are required. Its input takes no script.
type Declaration[Deps any] struct {
	Name, Group, Short, Long string
	// Tool is as in Verb.
	Tool   string
	Scope  Scope
	Effect Effect
	// List is as in Spec.
	List   string
	Errors []core.Code
	// Shape makes the verb's types. It is called once, when they are first needed.
	Shape func() Shape
	// Run answers an input of the type that Shape made.
	Run func(ctx context.Context, deps Deps, in any) (Result, error)
}

// Shape is the types of a verb. Structs follow the rules of the package comment.
type Shape struct {
	Output reflect.Type
	// Default is the input before anything is given; its type is the input's.
	Default any
	// Examples are inputs that are shown as runnable commands; at least one.
	Examples []any
	// Presets are the selections of the columns of the list; nil where there is none.
	Presets map[string][]string
}

// Result is the answer of a verb that was declared.
type Result struct {
	// Value is of the type that Shape made.
	Value any
	Hints *Hints
	Next  []Action
	// Human describes the answer for people; nil shows its fields.
	Human func() *report.Report
}

// Declare turns a declaration into a verb of an environment E.
func Declare[D Opens[D, E], E Env](d Declaration[D]) *Verb {
	v := &Verb{
		Name: d.Name, Tool: d.Tool, Group: d.Group, Short: d.Short, Long: d.Long, Scope: d.Scope, Effect: d.Effect,
		Level: d.Effect, Schema: d.Name,
		List: d.List, Errors: d.Errors,
	}
	made, run := d.Shape, d.Run
	v.shape = sync.OnceValue(func() *shape {
		own := made()
		defaults := reflect.ValueOf(own.Default)
		fields := fieldsOf(defaults.Type(), defaults)
		if takesScript(fields) { // Border.Offers does not look
			panic("registry: " + d.Name + " takes a script")
		}
		return &shape{
			input: defaults.Type(), output: own.Output, defaults: defaults, fields: fields,
			presets: own.Presets, examples: own.Examples,
		}
	})
	v.examples = func() []string {
		return core.Map(v.shape().examples, v.Command)
	}
	v.fits = func(any) error { return nil }
	v.run = func(ctx context.Context, env Env, in any, _ func(any) error) (*Reply, error) {
		deps, err := opened[D, E](ctx, v, env)
		if err != nil {
			return nil, err
		}
		result, err := run(ctx, deps, in)
		if err != nil {
			return nil, err
		}
		return &Reply{Value: result.Value, Hints: result.Hints, Next: result.Next, human: result.Human}, nil
	}
	return v
}

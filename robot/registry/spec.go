package registry

import (
	"context"
	"reflect"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/report"
)

// Scope is what a verb is about.
type Scope string

// Session verbs take a session as their first argument (--robot-NAME=SESSION);
// Resource verbs take another thing there. Global verbs take none.
const (
	Global   Scope = "global"
	Session  Scope = "session"
	Resource Scope = "resource"
)

// Effect is what a verb does to the world.
type Effect string

// Destroys verbs end something: they ask on a terminal and want --yes in robot
// mode.
const (
	Reads    Effect = "reads"
	Writes   Effect = "writes"
	Destroys Effect = "destroys"
)

// Spec declares a verb with input In and output Out, both structs. Name, Short,
// Scope, Effect, Group, Examples and one of Run and Stream are required.
type Spec[In, Out any] struct {
	// Name is the verb's name, in lower case with dashes.
	Name string
	// Aliases are other names of the verb; those of two words, such as "session list",
	// come besides the forms that its name gives.
	Aliases []string
	// Group is the heading under which help lists the verb.
	Group string
	// Short is one line without a full stop; Long is more, in whole sentences.
	Short, Long string
	Scope       Scope
	Effect      Effect
	// Default is the input before anything is given.
	Default In
	// Examples are inputs that are shown as runnable commands; at least one.
	Examples []In
	// Deprecated is the older way to name some of the flags.
	Deprecated Prefixed
	// Schema is the verb's schema type where that is not its name.
	Schema string
	// List is the JSON name of the list whose columns --fields selects; empty if there
	// is none. Verbs that stream have no list but lines.
	List string
	// Format is the format of answers where none was asked for; empty is JSON.
	Format string
	// Errors are the codes that the verb may fail with besides those that every
	// verb can (usage errors, INTERNAL_ERROR, CANCELLED).
	Errors []core.Code
	// Run answers. Failures are errors; a partly bad result is an error whose
	// details hold every part.
	Run func(ctx context.Context, deps *Deps, in In) (Out, error)
	// Stream answers line by line. Beside Run, it answers where the input is a
	// Streamer that says so.
	Stream Stream[In, Out]
	// Hints and Next say what the caller may want to know or do next.
	Hints func(in In, out Out) *Hints
	Next  func(in In, out Out) []Action
	// Human describes the answer for people. Without it, an answer that has a method
	// Report does so itself, the rows of the list are a table if their type says how,
	// and the fields are shown otherwise.
	Human func(in In, out Out) *report.Report
	// Plan returns the command that takes over a human's terminal, for verbs
	// that need it.
	Plan func(in In, out Out) []string
}

// Stream is how a verb answers line by line.
type Stream[In, Out any] struct {
	// Line is a line before the last, for the schema: a struct with a "type".
	Line any
	// Run emits the lines and returns the last one.
	Run func(ctx context.Context, deps *Deps, in In, emit func(line any) error) (Out, error)
}

// Streamer is an input that may ask for an answer line by line.
type Streamer interface{ Streaming() bool }

// Checker is an input that sees by itself, before anything is opened, whether its parts
// fit together.
type Checker interface{ Check() error }

// Hints is the _agent_hints of an answer. Empty fields are absent.
type Hints struct {
	Summary          string   `json:"summary,omitempty"`
	SuggestedAction  string   `json:"suggested_action,omitempty"`
	NextOffset       *int     `json:"next_offset,omitempty"`
	PagesRemaining   *int     `json:"pages_remaining,omitempty"`
	SaferAlternative string   `json:"safer_alternative,omitempty"`
	Warnings         []string `json:"warnings,omitempty"`
}

// Empty reports whether there is nothing to say.
func (h *Hints) Empty() bool {
	return h.Summary == "" && h.SuggestedAction == "" && h.NextOffset == nil && h.PagesRemaining == nil &&
		h.SaferAlternative == "" && len(h.Warnings) == 0
}

// Action is a row of next_actions. Command runs as it stands.
type Action struct {
	Action      string `json:"action"`
	Description string `json:"description"`
	Command     string `json:"command"`
}

// Define turns a declaration into a verb. What is derived from the structs of a
// declaration is derived at its first use, for a command line uses one verb of
// many; that use panics where they break a rule of this package.
func Define[In, Out any](spec Spec[In, Out]) *Verb {
	input, output := reflect.TypeFor[In](), reflect.TypeFor[Out]()
	var oneWord, twoWords []string
	for _, alias := range spec.Aliases {
		if strings.Contains(alias, " ") {
			twoWords = append(twoWords, alias)
		} else {
			oneWord = append(oneWord, alias)
		}
	}
	v := &Verb{
		Name: spec.Name, Aliases: oneWord, Words: twoWords, Group: spec.Group, Short: spec.Short, Long: spec.Long,
		Scope: spec.Scope, Effect: spec.Effect, Schema: spec.Schema, List: spec.List, Format: spec.Format,
		Errors: spec.Errors,
	}
	types := &shape{
		input: input, output: output, line: reflect.TypeOf(spec.Stream.Line),
		defaults: reflect.ValueOf(spec.Default),
	}
	v.shape = func() *shape { return types }
	if v.Schema == "" {
		v.Schema = spec.Name
	}
	v.fields = sync.OnceValue(func() []*Field {
		return withPrefixed(fieldsOf(input, types.defaults), spec.Deprecated)
	})
	v.examples = func() []string {
		commands := make([]string, len(spec.Examples))
		for i, example := range spec.Examples {
			commands[i] = v.Command(example)
		}
		return commands
	}
	v.Streams = spec.Stream.Run != nil && spec.Run == nil
	v.streaming = func(in any) bool {
		own, ok := in.(Streamer)
		return v.Streams || ok && spec.Stream.Run != nil && own.Streaming()
	}
	v.fits = func(in any) error {
		if own, is := in.(Checker); is {
			return own.Check()
		}
		return nil
	}
	v.run = func(ctx context.Context, deps *Deps, in any, emit func(any) error) (*Reply, error) {
		own, _ := in.(In) // Call has checked it
		return run(ctx, v, &spec, deps, own, emit)
	}
	return v
}

func run[In, Out any](ctx context.Context, v *Verb, spec *Spec[In, Out], deps *Deps, in In,
	emit func(any) error,
) (*Reply, error) {
	var out Out
	var err error
	if own, ok := any(in).(Streamer); spec.Run == nil || ok && own.Streaming() {
		out, err = spec.Stream.Run(ctx, deps, in, emit)
	} else {
		out, err = spec.Run(ctx, deps, in)
	}
	if err != nil {
		return nil, err
	}
	reply := &Reply{Value: out}
	if spec.Hints != nil {
		reply.Hints = spec.Hints(in, out)
	}
	if spec.Next != nil {
		reply.Next = spec.Next(in, out)
	}
	reply.human = func() *report.Report { return reported(out, v.Rows(), deps.Now()) }
	if spec.Human != nil {
		reply.human = func() *report.Report { return spec.Human(in, out) }
	}
	if spec.Plan != nil {
		reply.plan = func() []string { return spec.Plan(in, out) }
	}
	return reply, nil
}

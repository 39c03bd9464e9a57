package registry

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// Scope is the kind of target of a verb.
type Scope string

// Session verbs take a session as their first argument (--robot-NAME=SESSION);
// Resource verbs take another thing there. Global verbs take none.
const (
	Global   Scope = "global"
	Session  Scope = "session"
	Resource Scope = "resource"
)

// Effect is the effect of a verb on the world, or the level of a caller that may have it. Each includes the ones
// before it.
type Effect string

// Answers verbs act on agents that run: they start no program and name no file. Writes verbs also start agents of
// known kinds, restart them, and make worktrees, runs and files inside the project. Destroys verbs end or remove
// something, or change settings. What a call does is derived from this word and its input: see NeedOf.
const (
	Reads    Effect = "reads"
	Answers  Effect = "answers"
	Writes   Effect = "writes"
	Destroys Effect = "destroys"
)

// Effects are all of them, the weakest first.
func Effects() []Effect { return []Effect{Reads, Answers, Writes, Destroys} }

// Within reports whether a level includes an effect. An unknown one includes nothing.
func (e Effect) Within(level Effect) bool {
	return slices.Index(Effects(), e) <= slices.Index(Effects(), level)
}

// Spec declares a verb that works with Deps and has input In and output Out, both structs.
// Name, Short, Scope, Effect, Group, Examples and one of Run and Stream are required.
//
// An output may have these methods, on its value, which say what an answer has in addition to its
// fields:
//
//	Hints() *Hints           what the caller may want to know
//	Next() []Action          what the caller may want to do next
//	Report() *report.Report  what people see
//	Plan() []string          the command that takes over a person's terminal
//	Said() string            what was done, in one line: see the function Said
//	Spent() (float64, bool)  what the call spent, in dollars, and whether that is known
//
// Without Report, people see the table of the list if the rows' type says how, and the fields
// otherwise. Tags of the list say what they see of an empty one: empty, and filtered where the
// answer's field Filters is not zero.
type Spec[Deps, In, Out any] struct {
	// Name is the verb's name, in lower case with dashes.
	Name string
	// Aliases are other names of the verb; those of two or three words, such as "session list",
	// come in addition to the forms that its name gives.
	Aliases []string
	// ImpliedBy are flags that mean this verb on a line that begins with a flag and names none.
	ImpliedBy []string
	// Of makes the verb an alias: it is the command that the verb is another name of, without the program and the
	// arguments, such as "status --form=terse". An alias is called and answers as any verb, with an input and an answer
	// of its own or those of the real verb (As). Help, capabilities, completion and suggestions have the real verb in
	// its place. The values of the flags in Of are the defaults of those inputs of the alias that have their names.
	Of string
	// Group is the heading under which help lists the verb.
	Group string
	// Short is one line without a full stop; Long is more, in whole sentences.
	Short, Long string
	// Doing names the running action, before the words for its target: "ending".
	Doing  string
	Scope  Scope
	Effect Effect
	// Level is the level that a caller needs if that is more than the effect; empty is the effect. A wait changes
	// nothing, but stays with agents that run for as long as it likes.
	Level Effect
	// Examples are the arguments of commands that run as written, as Verb.Command writes
	// them; at least one.
	Examples []string
	// Deprecated is the older way to name some of the flags.
	Deprecated Prefixed
	// Schema is the verb's schema type where that is not its name.
	Schema string
	// List is the JSON name of the list whose columns --fields selects; empty if there
	// is none. Verbs that stream have no list but lines.
	List string
	// Format is the format of answers where none was asked for; empty is JSON.
	Format string
	// Errors are the codes that the verb may fail with in addition to those that every
	// verb can (usage errors, INTERNAL_ERROR, CANCELLED).
	Errors []core.Code
	// ForPrograms verbs answer programs also where stdout is a terminal, unless --human asks
	// for people.
	ForPrograms bool
	// Local verbs are for the command line alone: servers do not call them for their clients.
	Local bool
	// Programs verbs run a program that the caller's environment names, such as an editor.
	Programs bool
	// Sessionless verbs show nothing of any session, so that callers who are confined to some may call them.
	Sessionless bool
	// OnTerminals verbs need nothing of a machine but its terminals and processes, no files and no records: they also
	// work on a host without Cupola.
	OnTerminals bool
	// Run answers. Failures are errors; a partly bad result is an error whose
	// details hold every part.
	Run func(ctx context.Context, deps Deps, in In) (Out, error)
	// Stream answers line by line. In addition to Run, it answers where the input is a
	// Streamer that says so.
	Stream Stream[Deps, In, Out]
}

// Stream is how a verb answers line by line.
type Stream[Deps, In, Out any] struct {
	// Line is a line before the last, for the schema: a struct with a "type".
	Line any
	// Run emits the lines and returns the last one.
	Run func(ctx context.Context, deps Deps, in In, emit func(line any) error) (Out, error)
}

// Whole is the Run of a verb that answers as its stream does, without the lines before the last: emit is nil then.
func Whole[Deps, In, Out any](
	stream func(ctx context.Context, deps Deps, in In, emit func(line any) error) (Out, error),
) func(ctx context.Context, deps Deps, in In) (Out, error) {
	return func(ctx context.Context, deps Deps, in In) (Out, error) { return stream(ctx, deps, in, nil) }
}

// Streamer is an input that may ask for an answer line by line.
type Streamer interface{ Streaming() bool }

// LiveStreamer is an input whose answer may be shown to a person line by line, as it comes, while
// programs get it in one piece.
type LiveStreamer interface{ Live() bool }

// isLive reports whether a person sees the answer to an input as it comes.
func isLive(in any) bool {
	own, ok := in.(LiveStreamer)
	return ok && own.Live()
}

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

// Action is a row of next_actions. Command runs as written.
type Action struct {
	Action      string `json:"action"`
	Description string `json:"description"`
	Command     string `json:"command" names:"command-line"`
}

// withBusy adds the codes of a verb that reaches terminal servers: one can be down, or be about to come back.
func withBusy(codes []core.Code) []core.Code {
	at := slices.Index(codes, core.EngineUnavailable)
	if at < 0 || slices.Contains(codes, core.EngineBusy) {
		return codes
	}
	return slices.Insert(slices.Clone(codes), at+1, core.EngineBusy)
}

// Define turns a declaration into a verb of an environment E, from which its dependencies are
// opened. What is derived from the structs of a declaration is derived at its first use, for a
// command line uses one verb of many; that use panics where they break a rule of this package.
//
// It is compiled once for each verb: what does not need the types of one is in complete.
func Define[D Opens[D, E], E Env, In, Out any](spec Spec[D, In, Out]) *Verb {
	v := &Verb{
		Name: spec.Name, Of: spec.Of, Group: spec.Group, Short: spec.Short, Long: spec.Long, Doing: spec.Doing,
		ImpliedBy: spec.ImpliedBy, Aliases: spec.Aliases,
		Scope: spec.Scope, Effect: spec.Effect, Level: spec.Level,
		Schema: spec.Schema, List: spec.List, Format: spec.Format, Errors: spec.Errors,
		Streams:     spec.Stream.Run != nil && spec.Run == nil,
		ForPrograms: spec.ForPrograms, Local: spec.Local, OnTerminals: spec.OnTerminals,
		Programs: spec.Programs, Sessionless: spec.Sessionless,
	}
	// The function holds what it needs of the declaration, not all of it: every call makes all verbs.
	run, stream := spec.Run, spec.Stream.Run
	return complete(v, declared{
		input: reflect.TypeFor[In](), output: reflect.TypeFor[Out](), line: spec.Stream.Line,
		examples: spec.Examples, deprecated: spec.Deprecated, streams: stream != nil,
		answer: func(ctx context.Context, env Env, in any, emit func(any) error) (any, error) {
			deps, err := opened[D, E](ctx, v, env)
			if err != nil {
				return nil, err
			}
			own, _ := in.(In) // Call has checked it
			if emit != nil {
				return stream(ctx, deps, own, emit)
			}
			return run(ctx, deps, own)
		},
	})
}

// declared has the parts of a declaration that are no fields of its verb.
type declared struct {
	input, output reflect.Type
	line          any
	examples      []string
	deprecated    Prefixed
	// streams is true if the verb can answer line by line; answer does so if it is given emit.
	streams bool
	answer  func(ctx context.Context, env Env, in any, emit func(any) error) (any, error)
}

// complete gives a verb the rest of its declaration.
func complete(v *Verb, d declared) *Verb {
	v.Level, v.Schema = cmp.Or(v.Level, v.Effect), cmp.Or(v.Schema, v.Name)
	v.Errors, v.takes = addressing(withBusy(v.Errors)), d.input
	aliases := v.Aliases
	v.Aliases = nil
	for _, alias := range aliases {
		if strings.Contains(alias, " ") {
			v.Words = append(v.Words, alias)
		} else {
			v.Aliases = append(v.Aliases, alias)
		}
	}
	v.shape = sync.OnceValue(func() *shape {
		defaults := defaultsOf(d.input)
		preset(defaults, v.Of)
		return &shape{
			input: d.input, output: d.output, line: reflect.TypeOf(d.line), defaults: defaults,
			fields: withPrefixed(fieldsOf(d.input, defaults), d.deprecated),
		}
	})
	v.examples = func() []string {
		return core.Map(d.examples, func(arguments string) string {
			return strings.TrimSpace("cupola " + v.Name + " " + arguments)
		})
	}
	v.streaming = func(in any) bool {
		own, ok := in.(Streamer)
		return v.Streams || ok && d.streams && own.Streaming()
	}
	v.fits = func(in any) error {
		if own, is := in.(Checker); is {
			return own.Check()
		}
		return nil
	}
	v.run = func(ctx context.Context, env Env, in any, emit func(any) error) (*Reply, error) {
		from := env.Who().Host
		var flows func(any) error
		if v.streaming(in) || env.Who().Human && isLive(in) {
			flows = func(line any) error { return emit(qualify(from, line)) }
		}
		out, err := d.answer(ctx, env, in, flows)
		if err != nil {
			return nil, env.Who().Border.withheld(err)
		}
		reply := replyOf(v, qualify(from, out), env.Who().Now())
		if len(reply.Next) == 0 {
			reply.Next = inEarnest(v, in, out, env.Who().Human)
		}
		return reply, nil
	}
	return v
}

// longestAction bounds a command that repeats an input, in bytes.
const longestAction = 300

// inEarnest returns the call that does what a dry run has shown; none for other inputs, if nothing is to be done, for a
// verb that wants consent, for a long one, and for a program if it would stream.
func inEarnest(v *Verb, in, out any, human bool) []Action {
	field := v.Field("dry-run")
	if field == nil || asks(v) || listsNothing(v, out) || !reflect.ValueOf(in).FieldByIndex(field.index).Bool() {
		return nil
	}
	earnest := reflect.New(reflect.TypeOf(in)).Elem()
	earnest.Set(reflect.ValueOf(in))
	earnest.FieldByIndex(field.index).SetBool(false)
	command := v.Command(earnest.Interface())
	if len(command) > longestAction || !human && As(v, earnest.Interface()).Streams {
		return nil
	}
	return []Action{{Action: "do", Description: "Do what was shown", Command: command}}
}

// opened opens what a verb works with.
func opened[D Opens[D, E], E Env](ctx context.Context, v *Verb, env Env) (deps D, err error) {
	own, is := env.(E)
	if !is {
		return deps, core.Errorf(core.InternalError, "%s: the environment is a %T", v.Name, env)
	}
	return deps.Open(ctx, own)
}

// replyOf is an answer with what its methods say.
func replyOf(v *Verb, out any, now time.Time) *Reply {
	reply := &Reply{Value: out, human: func() *report.Report { return reported(out, v.Rows(), now) }}
	if own, is := out.(interface{ Hints() *Hints }); is {
		reply.Hints = own.Hints()
	}
	if own, is := out.(interface{ Next() []Action }); is {
		reply.Next = own.Next()
	}
	if own, is := out.(interface{ Plan() []string }); is {
		reply.plan = own.Plan
	}
	return reply
}

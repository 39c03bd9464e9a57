package registry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
)

// everythingIn is an input with a field of each type.
type everythingIn struct {
	Thing  string         `arg:"1" required:"true" help:"What it is about"`
	Other  string         `arg:"2" help:"Something beside it"`
	Rest   []string       `arg:"rest" help:"What is left"`
	Text   string         `help:"Any text"`
	DryRun bool           `flag:"dry-run,n" help:"A switch"`
	Loud   bool           `default:"true" help:"A switch that is on"`
	Lines  int            `default:"50" min:"0" max:"100" help:"A bounded number"`
	Depth  int            `default:"-1" min:"-1" help:"A number bounded below"`
	Mode   string         `default:"slow" enum:"fast,slow" help:"One of two"`
	Kinds  []string       `enum:"red,green,blue" help:"Some of three" alias:"colours,!hues"`
	Names  []string       `default:"a,b" help:"A list"`
	Cmd    []string       `whole:"true" help:"Whole lines"`
	Wait   time.Duration  `default:"1m" help:"How long"`
	Since  registry.Since `help:"A point in the past"`
	ANSI   bool           `help:"An acronym"`
	registry.Detail
}

type everythingOut struct {
	Rows []rowOut `json:"rows"`
	More []string `json:"more"`
}

type rowOut struct {
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	Where placeOut  `json:"where"`
	Own   string    `json:"-"`
}

type placeOut struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// env is the environment of these verbs: only its sessions are there.
type env struct {
	registry.Caller
	sessions []string
	opened   int
	err      error
}

func (e *env) Sessions(context.Context) []string { return e.sessions }

func (*env) Open(_ context.Context, own *env) (*env, error) {
	own.opened++
	return own, own.err
}

// otherEnv is the environment of no verb.
type otherEnv struct{ registry.Caller }

func (*otherEnv) Sessions(context.Context) []string { return nil }

func answer(context.Context, *env, plainIn) (everythingOut, error) {
	return everythingOut{}, nil
}

type plainIn struct {
	Lines int `min:"1" help:"A number"`
}

// spec returns the declaration of a verb that only tests know.
func spec(run func(context.Context, *env, plainIn) (everythingOut, error)) registry.Spec[*env, plainIn,
	everythingOut] {
	return registry.Spec[*env, plainIn, everythingOut]{
		Name: "look", Short: "Look", Scope: registry.Global, Effect: registry.Reads, Group: "See",
		Examples: []string{"--lines=1"}, Run: run,
	}
}

func TestCallTurnsAPanicIntoAnInternalError(t *testing.T) {
	verb := registry.Define(spec(func(context.Context, *env, plainIn) (everythingOut,
		error,
	) {
		panic("lost my head")
	}))
	reply, err := verb.Call(t.Context(), &env{}, plainIn{}, nil)
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.InternalError || e.Message != "look: internal error: lost my head" ||
		reply != nil {
		t.Errorf("got %v, %v", reply, err)
	}
}

func TestInterruptCancelsCall(t *testing.T) {
	done := map[string]any{"sent": 2}
	for _, failure := range []error{
		context.Canceled,
		&core.Error{Code: core.DeliveryFailed, Message: "half of it", Details: done},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		verb := registry.Define(spec(func(context.Context, *env, plainIn) (everythingOut, error) {
			cancel()
			return everythingOut{}, failure
		}))
		_, err := verb.Call(ctx, &env{}, plainIn{}, nil)
		e := core.AsError(err)
		if e.Code != core.Cancelled || !errors.Is(err, failure) {
			t.Errorf("%v became %v (%s)", failure, err, e.Code)
		}
		if core.AsError(failure).Code == core.DeliveryFailed && e.Details == nil {
			t.Error("the details of what was done are lost")
		}
	}
}

func TestCallKeepsAnswerBeforeInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	verb := registry.Define(spec(func(context.Context, *env, plainIn) (everythingOut, error) {
		cancel()
		return everythingOut{More: []string{"all"}}, nil
	}))
	if reply, err := verb.Call(ctx, &env{}, plainIn{}, nil); err != nil || reply == nil {
		t.Errorf("got %v, %v", reply, err)
	}
}

func TestCallMakesEveryFailureACodedOne(t *testing.T) {
	cause := errors.New("the disk is on fire")
	verb := registry.Define(spec(func(context.Context, *env, plainIn) (everythingOut,
		error,
	) {
		return everythingOut{}, cause
	}))
	_, err := verb.Call(t.Context(), &env{}, plainIn{}, nil)
	if e := core.AsError(err); e.Code != core.InternalError || !errors.Is(err, cause) || e.Error() != cause.Error() {
		t.Errorf("got %#v", err)
	}
}

func TestCallValidatesInputOfAnySource(t *testing.T) {
	ran := false
	verb := registry.Define(spec(func(context.Context, *env, plainIn) (everythingOut, error) {
		ran = true
		return everythingOut{}, nil
	}))
	for _, test := range []struct {
		why   string
		input any
		code  core.Code
	}{
		{"below the least", plainIn{Lines: -1}, core.InvalidInput},
		{"the input of another verb", everythingIn{}, core.InternalError},
		{"nothing", nil, core.InternalError},
	} {
		if _, err := verb.Call(t.Context(), &env{}, test.input, nil); err == nil ||
			core.AsError(err).Code != test.code {
			t.Errorf("%s: got %v, want %s", test.why, err, test.code)
		}
	}
	if ran {
		t.Error("the verb ran on an input that is wrong")
	}
}

func TestCallChecksInputBeforeOpening(t *testing.T) {
	verb := registry.Define(spec(answer))
	for _, test := range []struct {
		why    string
		input  plainIn
		err    error
		opened int
		code   core.Code // empty if it answers
	}{
		{"all is well", plainIn{Lines: 1}, nil, 1, ""},
		{"the input is wrong", plainIn{Lines: -1}, nil, 0, core.InvalidInput},
		{"it cannot be opened", plainIn{Lines: 1}, core.Errorf(core.IOError, "no"), 1, core.IOError},
	} {
		own := &env{err: test.err}
		_, err := verb.Call(t.Context(), own, test.input, nil)
		if own.opened != test.opened || err == nil != (test.code == "") ||
			err != nil && core.AsError(err).Code != test.code {
			t.Errorf("%s: opened %d times, %v", test.why, own.opened, err)
		}
	}
	if _, err := verb.Call(t.Context(), &otherEnv{}, plainIn{Lines: 1}, nil); err == nil ||
		core.AsError(err).Code != core.InternalError {
		t.Errorf("in another environment: %v", err)
	}
}

func TestSessionsAreOfferedWhereOneIsMissing(t *testing.T) {
	verb := registry.Define(registry.Spec[*env, registry.InSession, everythingOut]{
		Name: "tail", Errors: []core.Code{core.SessionNotFound},
	})
	for _, names := range [][]string{nil, {}, {"api", "web"}} {
		_, err := verb.Call(t.Context(), &env{sessions: names}, registry.InSession{}, nil)
		details, _ := core.AsError(err).Details.(map[string]any)
		if offered, is := details["sessions"].([]string); is != (names != nil) || !slices.Equal(offered, names) {
			t.Errorf("%q: got %v", names, details)
		}
	}
}

func TestCallStreamsLinesAndReturnsTheLast(t *testing.T) {
	verb := registry.Define(registry.Spec[*env, plainIn, everythingOut]{
		Name: "flow", Stream: registry.Stream[*env, plainIn, everythingOut]{Run: func(
			_ context.Context, _ *env, _ plainIn, emit func(any) error,
		) (everythingOut, error) {
			return everythingOut{More: []string{"end"}}, errors.Join(emit(1), emit(2))
		}},
	})
	var lines []any
	reply, err := verb.Call(t.Context(), &env{}, plainIn{},
		func(line any) error { lines = append(lines, line); return nil })
	if err != nil || len(lines) != 2 || !verb.Streams {
		t.Fatalf("got %v, %v", lines, err)
	}
	if out, ok := reply.Value.(everythingOut); !ok || out.More[0] != "end" {
		t.Errorf("got %v", reply.Value)
	}
}

// fullOut is an answer with all methods that one may have.
type fullOut struct{}

func (fullOut) Hints() *registry.Hints { return &registry.Hints{Summary: "all well"} }

func (fullOut) Next() []registry.Action { return []registry.Action{{Action: "again"}} }

func (fullOut) Report() *report.Report { return report.Say(report.Text("hello")) }

func (fullOut) Plan() []string { return []string{"sh"} }

func TestReplyCarriesWhatTheAnswerSays(t *testing.T) {
	verb := registry.Define(registry.Spec[*env, plainIn, fullOut]{
		Name: "look", Run: func(context.Context, *env, plainIn) (fullOut, error) { return fullOut{}, nil },
	})
	reply, err := verb.Call(t.Context(), &env{}, plainIn{Lines: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply.Warn()
	reply.Warn("old", "older")
	if reply.Hints.Summary != "all well" || !slices.Equal(reply.Hints.Warnings, []string{"old", "older"}) {
		t.Errorf("hints are %+v", reply.Hints)
	}
	if len(reply.Next) != 1 || reply.Report() == nil || !slices.Equal(reply.Plan(), []string{"sh"}) {
		t.Errorf("got %+v", reply)
	}
}

func TestEmptyReplyHasNoHints(t *testing.T) {
	reply, err := registry.Define(spec(answer)).Call(t.Context(), &env{}, plainIn{Lines: 1}, nil)
	if err != nil || reply.Report() != nil || reply.Plan() != nil || reply.Hints != nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	reply.Warn("old")
	if !slices.Equal(reply.Hints.Warnings, []string{"old"}) {
		t.Errorf("hints are %+v", reply.Hints)
	}
}

func TestInvalidInputTypesPanic(t *testing.T) {
	for why, verb := range map[string]*registry.Verb{
		"no help": registry.Define(registry.Spec[*env, struct{ Name string }, everythingOut]{}),
		"an unknown type": registry.Define(registry.Spec[*env, struct {
			X float64 `help:"A number"`
		}, everythingOut]{}),
		"a bad bound": registry.Define(registry.Spec[*env, struct {
			X int `min:"one" help:"A number"`
		}, everythingOut]{}),
		"a bad default": registry.Define(registry.Spec[*env, struct {
			X int `default:"few" help:"A number"`
		}, everythingOut]{}),
		"a default that is no flag": registry.Define(registry.Spec[*env, struct {
			registry.Page `default:"least=3"`
		}, everythingOut]{}),
		"a bad argument tag": registry.Define(registry.Spec[*env, struct {
			X string `arg:"first" help:"A word"`
		}, everythingOut]{}),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", why)
				}
			}()
			verb.Fields()
		}()
	}
}

func TestVerbDescribesItself(t *testing.T) {
	verb := all()
	if got := verb.Usage(); got != "cupola all THING [OTHER] [REST...] [flags]" {
		t.Errorf("usage is %q", got)
	}
	lists := verb.Lists()
	if len(lists) != 1 || lists[0].Name != "rows" {
		t.Fatalf("lists of objects are %+v", lists)
	}
	if got := lists[0].Columns(); !slices.Equal(got, []string{"name", "at", "where", "where.x", "where.y"}) {
		t.Errorf("columns are %q", got)
	}
	if verb.Rows().Columns() != nil {
		t.Error("no list has columns")
	}
	if verb.Field("thing") != nil || verb.Field("other") == nil || verb.Field("hues") == nil ||
		verb.Field("n") == nil || verb.Field("") != nil {
		t.Error("a positional argument is a flag, or a name is not found")
	}
	if flags := verb.Flags(); !slices.IsSorted(flags) || !slices.Contains(flags, "--dry-run") ||
		!slices.Contains(flags, "--ansi") {
		t.Errorf("flags are %q", flags)
	}
	if verb.RobotFlag() != "--robot-all" || verb.Schema != "all" ||
		!slices.Equal(verb.Names(), []string{"all", "every"}) {
		t.Errorf("got %q, %q, %q", verb.RobotFlag(), verb.Schema, verb.Names())
	}
}

// all is a verb that takes everything.
func all() *registry.Verb {
	return registry.Define(registry.Spec[*env, everythingIn, everythingOut]{
		Name: "all", Aliases: []string{"every"}, Short: "Take everything",
		Deprecated: registry.Prefixed{Prefix: "old", Flags: []string{"lines", "depth"}},
		Examples:   []string{"x"},
		Run: func(context.Context, *env, everythingIn) (everythingOut, error) {
			return everythingOut{}, nil
		},
	})
}

// fill parses a command line as the program does.
func fill(t *testing.T, verb *registry.Verb, words ...string) (everythingIn, *registry.Bound, error) {
	t.Helper()
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	bound := verb.Bind(flags)
	if err := flags.Parse(words); err != nil {
		return everythingIn{}, bound, err
	}
	if err := bound.Args(flags.Args()); err != nil {
		return everythingIn{}, bound, err
	}
	in, ok := bound.Input().(everythingIn)
	if !ok {
		t.Fatalf("the input is a %T", bound.Input())
	}
	return in, bound, nil
}

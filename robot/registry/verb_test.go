package registry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/registry"
)

// everythingIn is an input with a field of each type.
type everythingIn struct {
	Thing  string         `arg:"1" required:"true" help:"What it is about"`
	Other  string         `arg:"2" help:"Something beside it"`
	Rest   []string       `arg:"rest" help:"What is left"`
	Text   string         `help:"Any text"`
	DryRun bool           `flag:"dry-run,n" help:"A switch"`
	Loud   bool           `help:"A switch that is on"`
	Lines  int            `min:"0" max:"100" help:"A bounded number"`
	Depth  int            `min:"-1" help:"A number bounded below"`
	Mode   string         `enum:"fast,slow" help:"One of two"`
	Kinds  []string       `enum:"red,green,blue" help:"Some of three" alias:"colours,!hues"`
	Names  []string       `help:"A list"`
	Cmd    []string       `whole:"true" help:"Whole lines"`
	Wait   time.Duration  `help:"How long"`
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

func answer(context.Context, *registry.Deps, plainIn) (everythingOut, error) {
	return everythingOut{}, nil
}

type plainIn struct {
	Lines int `min:"1" help:"A number"`
}

// spec returns the declaration of a verb that only tests know.
func spec(run func(context.Context, *registry.Deps, plainIn) (everythingOut, error)) registry.Spec[plainIn,
	everythingOut] {
	return registry.Spec[plainIn, everythingOut]{
		Name: "look", Short: "Look", Scope: registry.Global, Effect: registry.Reads, Group: "See",
		Examples: []plainIn{{Lines: 1}}, Run: run,
	}
}

func TestCallTurnsAPanicIntoAnInternalError(t *testing.T) {
	verb := registry.Define(spec(func(context.Context, *registry.Deps, plainIn) (everythingOut,
		error,
	) {
		panic("lost my head")
	}))
	reply, err := verb.Call(t.Context(), &registry.Deps{}, plainIn{}, nil)
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.InternalError || e.Message != "look: internal error: lost my head" ||
		reply != nil {
		t.Errorf("got %v, %v", reply, err)
	}
}

func TestCallOfAnInterruptedVerbIsCancelledAndKeepsWhatWasDone(t *testing.T) {
	done := map[string]any{"sent": 2}
	for _, failure := range []error{
		context.Canceled,
		&core.Error{Code: core.DeliveryFailed, Message: "half of it", Details: done},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		verb := registry.Define(spec(func(context.Context, *registry.Deps, plainIn) (everythingOut, error) {
			cancel()
			return everythingOut{}, failure
		}))
		_, err := verb.Call(ctx, &registry.Deps{}, plainIn{}, nil)
		e := core.AsError(err)
		if e.Code != core.Cancelled || !errors.Is(err, failure) {
			t.Errorf("%v became %v (%s)", failure, err, e.Code)
		}
		if core.AsError(failure).Code == core.DeliveryFailed && e.Details == nil {
			t.Error("the details of what was done are lost")
		}
	}
}

func TestCallKeepsAnAnswerThatCameBeforeTheInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	verb := registry.Define(spec(func(context.Context, *registry.Deps, plainIn) (everythingOut, error) {
		cancel()
		return everythingOut{More: []string{"all"}}, nil
	}))
	if reply, err := verb.Call(ctx, &registry.Deps{}, plainIn{}, nil); err != nil || reply == nil {
		t.Errorf("got %v, %v", reply, err)
	}
}

func TestCallMakesEveryFailureACodedOne(t *testing.T) {
	cause := errors.New("the disk is on fire")
	verb := registry.Define(spec(func(context.Context, *registry.Deps, plainIn) (everythingOut,
		error,
	) {
		return everythingOut{}, cause
	}))
	_, err := verb.Call(t.Context(), &registry.Deps{}, plainIn{}, nil)
	if e := core.AsError(err); e.Code != core.InternalError || !errors.Is(err, cause) || e.Error() != cause.Error() {
		t.Errorf("got %#v", err)
	}
}

func TestCallValidatesWhoeverFilledTheInput(t *testing.T) {
	ran := false
	verb := registry.Define(spec(func(context.Context, *registry.Deps, plainIn) (everythingOut, error) {
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
		if _, err := verb.Call(t.Context(), &registry.Deps{}, test.input, nil); err == nil ||
			core.AsError(err).Code != test.code {
			t.Errorf("%s: got %v, want %s", test.why, err, test.code)
		}
	}
	if ran {
		t.Error("the verb ran on an input that is wrong")
	}
}

func TestCallStreamsLinesAndReturnsTheLast(t *testing.T) {
	verb := registry.Define(registry.Spec[plainIn, everythingOut]{
		Name: "flow", Stream: registry.Stream[plainIn, everythingOut]{Run: func(
			_ context.Context, _ *registry.Deps, _ plainIn, emit func(any) error,
		) (everythingOut, error) {
			return everythingOut{More: []string{"end"}}, errors.Join(emit(1), emit(2))
		}},
	})
	var lines []any
	reply, err := verb.Call(t.Context(), &registry.Deps{}, plainIn{},
		func(line any) error { lines = append(lines, line); return nil })
	if err != nil || len(lines) != 2 || !verb.Streams {
		t.Fatalf("got %v, %v", lines, err)
	}
	if out, ok := reply.Value.(everythingOut); !ok || out.More[0] != "end" {
		t.Errorf("got %v", reply.Value)
	}
}

func TestReplyCarriesWhatTheDeclarationSays(t *testing.T) {
	declared := spec(answer)
	declared.Hints = func(plainIn, everythingOut) *registry.Hints { return &registry.Hints{Summary: "all well"} }
	declared.Next = func(in plainIn, _ everythingOut) []registry.Action { return []registry.Action{{Action: "again"}} }
	declared.Human = func(plainIn, everythingOut) *report.Report { return report.Say(report.Text("hello")) }
	declared.Plan = func(plainIn, everythingOut) []string { return []string{"sh"} }
	reply, err := registry.Define(declared).Call(t.Context(), &registry.Deps{}, plainIn{Lines: 1}, nil)
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

func TestReplyWithoutAnythingToSaySaysNothing(t *testing.T) {
	reply, err := registry.Define(spec(answer)).Call(t.Context(), &registry.Deps{}, plainIn{Lines: 1}, nil)
	if err != nil || reply.Report() != nil || reply.Plan() != nil || reply.Hints != nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	reply.Warn("old")
	if !slices.Equal(reply.Hints.Warnings, []string{"old"}) {
		t.Errorf("hints are %+v", reply.Hints)
	}
}

func TestFieldsOfAnInputThatBreaksTheRulesPanic(t *testing.T) {
	for why, verb := range map[string]*registry.Verb{
		"no help": registry.Define(registry.Spec[struct{ Name string }, everythingOut]{}),
		"an unknown type": registry.Define(registry.Spec[struct {
			X float64 `help:"A number"`
		}, everythingOut]{}),
		"a bad bound": registry.Define(registry.Spec[struct {
			X int `min:"one" help:"A number"`
		}, everythingOut]{}),
		"a bad argument tag": registry.Define(registry.Spec[struct {
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
	return registry.Define(registry.Spec[everythingIn, everythingOut]{
		Name: "all", Aliases: []string{"every"}, Short: "Take everything",
		Deprecated: registry.Prefixed{Prefix: "old", Flags: []string{"lines", "depth"}},
		Default: everythingIn{
			Loud: true, Lines: 50, Depth: -1, Mode: "slow", Names: []string{"a", "b"},
			Wait: time.Minute,
		},
		Examples: []everythingIn{{
			Thing: "x", Loud: true, Lines: 50, Depth: -1, Mode: "slow", Names: []string{"a", "b"},
			Wait: time.Minute,
		}},
		Run: func(context.Context, *registry.Deps, everythingIn) (everythingOut, error) {
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

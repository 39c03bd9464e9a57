package registry_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/verb/registry"
)

// declared is a verb whose structs are made at its first use.
func declared(made *int, scope registry.Scope, tag reflect.StructTag) *registry.Verb {
	input := func() reflect.Type {
		return reflect.StructOf([]reflect.StructField{
			{Name: "Query", Type: reflect.TypeFor[string](), Tag: tag + ` help:"What to look for"`},
			{Name: "Limit", Type: reflect.TypeFor[int](), Tag: `min:"1" help:"How many"`},
		})
	}
	return registry.Declare(registry.Declaration[*env]{
		Name: "x-search", Group: "Others", Short: "Search", Scope: scope, Effect: registry.Reads,
		Shape: func() registry.Shape {
			*made++
			value := reflect.New(input()).Elem()
			value.Field(1).SetInt(20)
			example := reflect.New(input()).Elem()
			example.Field(0).SetString("auth error")
			example.Field(1).SetInt(20)
			return registry.Shape{
				Output: reflect.TypeFor[everythingOut](), Default: value.Interface(),
				Examples: []any{example.Interface()},
			}
		},
		Run: func(_ context.Context, _ *env, in any) (registry.Result, error) {
			return registry.Result{
				Value: everythingOut{More: []string{reflect.ValueOf(in).Field(0).String()}},
				Hints: &registry.Hints{Summary: "found"},
			}, nil
		},
	})
}

func TestDeclaredVerbsAreMadeWhenTheyAreNeeded(t *testing.T) {
	made := 0
	verb := declared(&made, registry.Global, `inline:"legacy" required:"true"`)
	if verb.RobotFlag() != "--robot-x-search" || verb.Schema != "x-search" || made != 0 {
		t.Errorf("its name alone made it %d times", made)
	}
	if examples := verb.Examples(); !slices.Equal(examples, []string{"cupola x-search --query='auth error'"}) {
		t.Errorf("examples are %q", examples)
	}
	for _, words := range [][]string{{"--query=auth"}, {"auth"}} {
		flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
		bound := verb.Bind(flags)
		if err := flags.Parse(words); err != nil {
			t.Fatal(err)
		}
		if err := bound.Args(flags.Args()); err != nil {
			t.Fatal(err)
		}
		reply, err := verb.Call(t.Context(), &env{}, bound.Input(), nil)
		if err != nil || reply.Value.(everythingOut).More[0] != "auth" || reply.Hints.Summary != "found" ||
			reply.Report() != nil {
			t.Errorf("%q: %+v, %v", words, reply, err)
		}
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
	if _, err := verb.Call(t.Context(), &env{}, verb.Zero(),
		nil); !core.AsError(err).HasCode(core.MissingRequired) {
		t.Errorf("without what it needs: %v", err)
	}
}

func TestAWordAndItsFlagContradictEachOther(t *testing.T) {
	made := 0
	verb := declared(&made, registry.Global, `inline:"legacy"`)
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	bound := verb.Bind(flags)
	if err := flags.Parse([]string{"--query=one"}); err != nil {
		t.Fatal(err)
	}
	if err := bound.Args([]string{"two"}); !core.AsError(err).HasCode(core.InvalidFlag) {
		t.Errorf("got %v", err)
	}
	if err := verb.Bind(pflag.NewFlagSet("x", pflag.ContinueOnError)).Args([]string{
		"one",
		"two",
	}); !core.AsError(err).HasCode(core.TooManyValues) {
		t.Errorf("two words: %v", err)
	}
}

func TestFlagFormValueIsLegacyOfFlag(t *testing.T) {
	made := 0
	inline := declared(&made, registry.Global, `inline:"legacy"`)
	field, err := inline.PositionalOf("x")
	if err != nil || field.Name != "query" ||
		legacyForm(inline) != "--robot-x-search=VALUE, --robot-x-search --query=VALUE" {
		t.Errorf("got %v, %v, %q", field, err, legacyForm(inline))
	}
	word := declared(&made, registry.Global, `inline:"word"`)
	if _, err := word.PositionalOf("x"); !core.AsError(err).HasCode(core.InvalidFlag) || legacyForm(word) != ", " ||
		word.Usage() != "cupola x-search [QUERY] [flags]" {
		t.Errorf("a flag that only a bare word gives: %v, %q, %q", err, legacyForm(word), word.Usage())
	}
	id := declared(&made, registry.Resource, `arg:"1"`)
	if field, err := id.PositionalOf("x"); err != nil || field.Name != "query" || legacyForm(id) != ", " {
		t.Errorf("an id: %v, %v, %q", field, err, legacyForm(id))
	}
	none := declared(&made, registry.Global, "")
	if _, err := none.PositionalOf("x"); !core.AsError(err).HasCode(core.InvalidFlag) || legacyForm(none) != ", " {
		t.Errorf("a verb without either: %v", err)
	}
}

func legacyForm(verb *registry.Verb) string {
	legacy, use := verb.ValueForm()
	return legacy + ", " + use
}

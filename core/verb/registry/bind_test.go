package registry_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
)

func TestBindReadsEachTypeOfValue(t *testing.T) {
	for _, test := range []struct {
		words string
		get   func(everythingIn) any
		want  any
	}{
		{"", func(in everythingIn) any { return in.Lines }, 50},
		{"--lines=0", func(in everythingIn) any { return in.Lines }, 0},
		{"--lines 100", func(in everythingIn) any { return in.Lines }, 100},
		{"--depth=-1", func(in everythingIn) any { return in.Depth }, -1},
		{"--dry-run", func(in everythingIn) any { return in.DryRun }, true},
		{"-n", func(in everythingIn) any { return in.DryRun }, true},
		{"--loud=false", func(in everythingIn) any { return in.Loud }, false},
		{"--ansi", func(in everythingIn) any { return in.ANSI }, true},
		{"--mode=fast", func(in everythingIn) any { return in.Mode }, "fast"},
		{"--kinds=red,blue", func(in everythingIn) any { return in.Kinds }, []string{"red", "blue"}},
		{"--kinds red --kinds blue", func(in everythingIn) any { return in.Kinds }, []string{"red", "blue"}},
		{
			"--kinds=red --colours=blue --hues=green", func(in everythingIn) any { return in.Kinds },
			[]string{"red", "blue", "green"},
		},
		{"--names=c", func(in everythingIn) any { return in.Names }, []string{"c"}},
		{"--names=b,c", func(in everythingIn) any { return in.Names }, []string{"b", "c"}},
		{"--cmd=a,b --cmd=c", func(in everythingIn) any { return in.Cmd }, []string{"a,b", "c"}},
		{"--wait=90s", func(in everythingIn) any { return in.Wait }, 90 * time.Second},
		{"--wait=90", func(in everythingIn) any { return in.Wait }, 90 * time.Second},
		{"--wait=1h30m", func(in everythingIn) any { return in.Wait }, 90 * time.Minute},
		{"--wait=0", func(in everythingIn) any { return in.Wait }, time.Duration(0)},
		{"--since=rev:7", func(in everythingIn) any { return in.Since.Revision }, core.Revision(7)},
		{"--old-lines=3", func(in everythingIn) any { return in.Lines }, 3},
	} {
		in, _, err := fill(t, all(), strings.Fields(test.words)...)
		if got := test.get(in); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v (%v), want %v", test.words, got, err, test.want)
		}
	}
}

func TestBindRefusesWrongValues(t *testing.T) {
	for _, test := range []struct{ word, says string }{
		{"--lines=many", `--lines: "many" is not a whole number`},
		{"--lines=1.5", `--lines: "1.5" is not a whole number`},
		{"--lines=-1", `--lines: "-1" is not at least 0`},
		{"--lines=101", `--lines: "101" is not at most 100`},
		{"--old-lines=101", `--lines: "101" is not at most 100`},
		{"--depth=-2", `--depth: "-2" is not at least -1`},
		{"--loud=perhaps", `--loud: "perhaps" is not true or false`},
		{"--mode=fats", `--mode: "fats" is not one of fast, slow`},
		{"--mode=", `--mode: "" is not one of fast, slow`},
		{"--names=", "--names: it is empty"},
		{"--names=c,", "--names: one of its items is empty"},
		{"--cmd=", "--cmd: it is empty"},
		{"--kinds=red,pink", `--kinds: "pink" is not one of red, green, blue`},
		{"--wait=soon", `--wait: "soon" is not a duration such as 30s, 1h30m or 7d`},
		{"--wait=1e9h", `--wait: "1e9h" is not a duration`},
		{"--wait=-5", `--wait: "-5" is negative`},
		{"--wait=-5s", `--wait: "-5s" is negative`},
		{"--wait=-1h30m", `--wait: "-1h30m" is negative`},
		{"--wait=-2d", `--wait: "-2d" is negative`},
		{"--wait=--2d", `--wait: "--2d" is not a duration`},
		{"--wait=1h-5m", `--wait: "1h-5m" is not a duration`},
		{"--wait=99999999999", `--wait: "99999999999" is too long`},
		{"--wait=99999999999999999999", `--wait: "99999999999999999999" is too long`},
		{"--wait=99999999999h", `--wait: "99999999999h" is too long`},
		{"--wait=99999999999999999999w", `--wait: "99999999999999999999w" is too long`},
		{"--wait=", "--wait: it is empty"},
		{"--lines=", "--lines: it is empty"},
		{"--loud=", "--loud: it is empty"},
		{"--lines=99999999999999999999", `--lines: "99999999999999999999" is out of range`},
		{"--since=then", `--since: "then" is not a duration (30m, 7d), a day (today, yesterday), a date (2026-01-31) or a revision (rev:42)`},
		{"--since=-1h", `--since: "-1h" is negative`},
		{"--since=99999999999h", `--since: "99999999999h" is too long`},
		{"--since=", "--since: it is empty"},
		{"--since=rev:x", `--since: "rev:x" is not a duration (30m, 7d), a day (today, yesterday), a date (2026-01-31) or a revision (rev:42)`},
	} {
		_, _, err := fill(t, all(), test.word)
		if e := core.AsError(err); e == nil || e.Code != core.InvalidInput || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v, want %s", test.word, err, test.says)
		}
	}
}

func TestBindSuggestsNearValue(t *testing.T) {
	_, _, err := fill(t, all(), "--mode=fats")
	e := core.AsError(err)
	if e.Hint != "Did you mean --mode=fast?" || !slices.Equal(e.Suggestions, []string{"fast"}) {
		t.Errorf("got %q, %q", e.Hint, e.Suggestions)
	}
	_, _, err = fill(t, all(), "--mode=xxxxxxxxxx")
	if e := core.AsError(err); e.Hint != "Use one of: fast, slow" {
		t.Errorf("got %q", e.Hint)
	}
}

func TestBindLeavesTheDefaultsOfTheVerbAlone(t *testing.T) {
	verb := all()
	for range 2 {
		in, bound, err := fill(t, verb, "--names=z")
		if err != nil || !slices.Equal(in.Names, []string{"z"}) {
			t.Fatalf("got %q, %v", in.Names, err)
		}
		if err := bound.Set("names", "y,x"); err != nil {
			t.Fatal(err)
		}
	}
	if in, ok := verb.Zero().(everythingIn); !ok || !slices.Equal(in.Names, []string{"a", "b"}) {
		t.Errorf("the defaults became %+v", verb.Zero())
	}
}

func TestBindWarnsOfDeprecatedNamesOnly(t *testing.T) {
	_, bound, err := fill(t, all(), "--lines=1", "--colours=red", "--hues=blue", "--old-depth=2")
	want := []string{"--hues is deprecated; use --kinds", "--old-depth is deprecated; use --depth"}
	if got := bound.Warnings(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func TestBindLeavesGlobalFlagsToTheProgram(t *testing.T) {
	if _, _, err := fill(t, all(), "--verbose"); err == nil {
		t.Fatal("--verbose is a flag of the verb")
	}
	_, bound, err := fill(t, all(), "x")
	if err != nil {
		t.Fatal(err)
	}
	globals := registry.Globals{Verbose: true, Quiet: true}
	if err := globals.Apply(bound); err != nil {
		t.Fatal(err)
	}
	if in, ok := bound.Input().(everythingIn); !ok || !in.Verbose {
		t.Errorf("--verbose did not reach the verb: %+v", bound.Input())
	}
}

func TestArgsFillPositionsInOrder(t *testing.T) {
	in, _, err := fill(t, all(), "one", "two", "three", "--", "-four")
	if err != nil || in.Thing != "one" || in.Other != "two" || !slices.Equal(in.Rest, []string{"three", "-four"}) {
		t.Errorf("got %+v, %v", in, err)
	}
	if in, _, err := fill(t, all(), "one", "--other=two"); err != nil || in.Other != "two" {
		t.Errorf("a later position as a flag: got %+v, %v", in, err)
	}
}

func TestArgsRefuseExtraValues(t *testing.T) {
	verb := registry.Define(spec(answer))
	err := verb.Bind(newFlags()).Args([]string{"extra"})
	if e := core.AsError(err); e == nil || e.Code != core.TooManyValues || e.Hint != "Usage: cupola look [flags]" {
		t.Errorf("got %v", err)
	}
}

func TestSetReportsUnknownFlag(t *testing.T) {
	_, bound, _ := fill(t, all(), "x")
	if err := bound.Set("nothing", "1"); core.AsError(err).Code != core.InvalidFlag {
		t.Errorf("got %v", err)
	}
}

func TestMissingArgumentsAreAllNamed(t *testing.T) {
	type in struct {
		Session string   `arg:"1" required:"true" help:"A session"`
		Keys    []string `arg:"rest" required:"true" help:"Keys"`
		To      string   `required:"true" help:"Where to"`
		By      string   `required:"true" help:"By whom"`
		Why     string   `help:"Why"`
	}
	verb := registry.Define(registry.Spec[*env, in, everythingOut]{
		Name:     "press",
		Examples: []string{"api Enter --to=x --by=me"},
	})
	_, err := verb.Call(t.Context(), &env{}, in{By: "me"}, nil)
	e := core.AsError(err)
	if e.Code != core.MissingRequired || e.Message != "press needs SESSION and KEYS... and --to=STRING" {
		t.Errorf("got %s: %s", e.Code, e.Message)
	}
	want := "Usage: cupola press SESSION KEYS... [flags]; for example: cupola press api Enter --to=x --by=me"
	if e.Hint != want {
		t.Errorf("the hint is %q, want %q", e.Hint, want)
	}
	if got := e.Details; !reflect.DeepEqual(got,
		map[string]any{"missing": []string{"SESSION", "KEYS...", "--to=STRING"}}) {
		t.Errorf("details are %v", got)
	}
}

func TestCheckEnumFailsAsAWrongEnumValueDoes(t *testing.T) {
	if err := registry.CheckEnum("types", []string{"a"}, []string{"a", "b"}); err != nil {
		t.Error(err)
	}
	err := registry.CheckEnum("types", []string{"a", "c"}, []string{"a", "b"})
	if e := core.AsError(err); e == nil || e.Code != core.InvalidInput ||
		e.Message != `--types: "c" is not one of a, b` {
		t.Errorf("got %v", err)
	}
}

func TestDurationsMayBeDays(t *testing.T) {
	for word, want := range map[string]time.Duration{
		"--wait=1d": 24 * time.Hour, "--wait=2w": 14 * 24 * time.Hour,
		"--wait=90": 90 * time.Second, "--wait=1h30m": 90 * time.Minute,
	} {
		if in, _, err := fill(t, all(), word); err != nil || in.Wait != want {
			t.Errorf("%s is %v, %v", word, in.Wait, err)
		}
	}
}

package registry

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"cupola/core"
)

type filledIn struct {
	Session string        `arg:"1" required:"true" help:"Session"`
	Panes   []string      `default:"1" help:"Panes"`
	Lines   int           `flag:"lines,l" default:"5" min:"0" max:"9" alias:"rows" help:"Lines"`
	Wait    time.Duration `help:"Wait"`
	When    []string      `enum:"now,later" help:"When"`
	Since   Since         `help:"Since"`
	All     bool          `help:"All"`
}

type fillEnv struct{ Caller }

func (*fillEnv) Sessions(context.Context) []string { return nil }

func (*fillEnv) Open(_ context.Context, env *fillEnv) (*fillEnv, error) { return env, nil }

var filled = Define(Spec[*fillEnv, filledIn, struct{}]{
	Name: "filled",
	Run:  func(context.Context, *fillEnv, filledIn) (struct{}, error) { return struct{}{}, nil },
})

func TestInputsAreFilledAsTheyWouldBeTyped(t *testing.T) {
	for _, test := range []struct {
		why    string
		values map[string]any
		want   filledIn
	}{
		{"nothing", nil, filledIn{Lines: 5, Panes: []string{"1"}}},
		{
			"texts",
			map[string]any{"session": "api", "panes": "2, 3", "rows": "7", "wait": "90s", "all": "true"},
			filledIn{Session: "api", Panes: []string{"2", "3"}, Lines: 7, Wait: 90 * time.Second, All: true},
		},
		{
			"values",
			map[string]any{
				"panes": []any{"a,b", int64(2)}, "lines": int64(0), "wait": int64(5), "all": true,
				"when": []any{"now"},
			},
			filledIn{Panes: []string{"a,b", "2"}, Wait: 5 * time.Second, All: true, When: []string{"now"}},
		},
		{
			"a number for a text",
			map[string]any{"session": 1.5},
			filledIn{Session: "1.5", Lines: 5, Panes: []string{"1"}},
		},
	} {
		got, err := Fill(filled, test.values)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v", test.why, got, err)
		}
	}
	if again, err := Fill(filled, nil); err != nil ||
		!slices.Equal(again.(filledIn).Panes, []string{"1"}) { //nolint:forcetypeassert // it is that verb's
		t.Errorf("the defaults have changed: %+v, %v", again, err)
	}
}

func TestMismatchIsExplained(t *testing.T) {
	for why, values := range map[string]map[string]any{
		"no number": {"lines": "many"}, "too much": {"lines": int64(10)}, "a list for one": {"lines": []any{1}},
		"a table":   {"session": map[string]any{}},
		"no choice": {"when": []any{"soon"}}, "no time": {"since": "rev:x"}, "no duration": {"wait": true},
		"unknown name": {"sesion": "api"},
	} {
		if _, err := Fill(filled, values); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%s: got %v", why, err)
		}
	}
}

func TestAFlagGivenTwiceNamesBothValues(t *testing.T) {
	for line, says := range map[string]string{
		"--lines=3 -l 4": "-l is given twice", "--rows=3 --lines=4": "--lines is given twice: 3 and 4",
		"--lines=3 --lines=3": "", "--when=now --when=later": "",
	} {
		flags := pflag.NewFlagSet("filled", pflag.ContinueOnError)
		filled.Bind(flags)
		err := flags.Parse(strings.Fields(line))
		if (err == nil) != (says == "") ||
			says != "" && !strings.Contains(err.Error(), strings.TrimPrefix(says, "-l ")) {
			t.Errorf("%s: got %v, want %q", line, err, says)
		}
	}
}

// An input of one call fills that of another, whatever the types of its texts and lists mean.
func TestTypedInputsFillAnotherCall(t *testing.T) {
	for typ, means := range meanings {
		text, list := typ.Kind() == reflect.String, typ.Kind() == reflect.Slice
		if !text && !list {
			t.Errorf("%s is neither a text nor a list", typ)
			continue
		}
		value, want := reflect.New(typ).Elem(), []string{"a,b"}
		name := "session"
		if text {
			value.SetString("a,b")
		} else {
			value.Set(reflect.ValueOf(want).Convert(typ))
			name = "panes"
		}
		in, err := Fill(filled, map[string]any{name: value.Interface()})
		got, _ := in.(filledIn)
		if err != nil || text && got.Session != "a,b" || list && !slices.Equal(got.Panes, want) {
			t.Errorf("%s (%s): %+v, %v", typ, means, got, err)
		}
	}
	if _, err := Fill(filled, map[string]any{"panes": []bool{true}}); err == nil {
		t.Error("a list of what is no text is taken")
	}
}

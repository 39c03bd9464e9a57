package pipeline

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cupola/core"
)

// parsed is a pipeline of a test.
func parsed(t *testing.T, text string) *Pipeline {
	t.Helper()
	p, err := Parse("p.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPipelineThatDoesNotFitTogetherNamesTheLine(t *testing.T) {
	step := "[[step]]\nname = \"a\"\nverb = \"look\"\n"
	for _, test := range []struct{ why, text, says, near string }{
		{"no step", "name = \"x\"\n", "there is no [[step]]", ""},
		{"no name", "[[step]]\nverb = \"look\"\n", "line 1: the step has no name", ""},
		{"an odd name", "[[step]]\nname = \"a.b\"\nverb = \"look\"\n", "line 2: step a.b: the name \"a.b\" takes", ""},
		{"an odd pipeline", "name = \"a b\"\n" + step, "the name \"a b\" takes", ""},
		{"no verb", "[[step]]\nname = \"a\"\n", "line 1: step a: the step has no verb", ""},
		{"a name twice", step + step, "line 4: two steps are named \"a\"", ""},
		{
			"an unknown need", step + "[[step]]\nname = \"b\"\nverb = \"look\"\nneeds = [\"aa\"]\n",
			"line 7: step b: it needs \"aa\"", "a",
		},
		{"an unknown reference", step + "args = {x = \"${steps.aa.text}\"}\n", "refers to ${steps.aa.text}", "a"},
		{"no reference", step + "args = {x = \"${var.x}\"}\n", "means nothing", ""},
		{"half a reference", step + "args = {x = [\"${vars.x\"]}\n", "has no end", ""},
		{"a step of no field", step + "args = {x = \"${steps.a}\"}\n", "means nothing", ""},
		{"a wrong word", step + "when = \"later\"\n", "line 4: step a: when is \"later\"", ""},
		{"a wrong word for errors", step + "on_error = \"cry\"\n", "on_error is \"cry\"", ""},
		{"too many tries", step + "retries = 101\n", "retries is 101", ""},
		{"a time below nothing", step + "timeout = \"-1s\"\n", "0 or more", ""},
		{"an unknown key", step + "neds = [\"a\"]\n", "line 4: step a: unknown key step.neds", "needs"},
		{"a step that needs itself", step + "needs = [\"a\"]\n", "line 1: steps wait for each other: a needs a", ""},
		{
			"a cycle", "[[step]]\nname = \"z\"\nverb = \"look\"\n" + step +
				"needs = [\"c\"]\n[[step]]\nname = \"b\"\nverb = \"look\"\nneeds = [\"z\", \"a\"]\n" +
				"[[step]]\nname = \"c\"\nverb = \"look\"\nargs = {x = \"${steps.b.text}\"}\n",
			"line 4: steps wait for each other: a needs c needs b needs a", "",
		},
	} {
		_, err := Parse("p.toml", test.text)
		e := core.AsError(err)
		if !e.HasCode(core.ConfigInvalid) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v, want %s", test.why, err, test.says)
			continue
		}
		if test.near != "" && !slices.Contains(e.Suggestions, test.near) {
			t.Errorf("%s: suggestions %q", test.why, e.Suggestions)
		}
	}
}

func TestStepsRunBehindThoseThatTheyNeed(t *testing.T) {
	p := parsed(t, `
[[step]]
name = "a"
verb = "look"
args = {x = "${steps.c.text}"}
[[step]]
name = "b"
verb = "look"
[[step]]
name = "c"
verb = "look"
needs = ["d"]
[[step]]
name = "d"
verb = "look"
`)
	var names []string
	for _, i := range p.order() {
		names = append(names, p.Steps[i].Name)
	}
	if want := []string{"b", "d", "c", "a"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestReferencesStandForWhatTheyName(t *testing.T) {
	v := values{session: "api", vars: map[string]string{"goal": "a ${b}"}, steps: map[string]map[string]any{
		"ask": {
			"text": "two\nlines", "n": 3.0, "none": nil, "rows": []any{map[string]any{"pane": "%1"}},
			"map": map[string]any{"a": true},
		},
	}}
	for text, want := range map[string]string{
		"plain $ and $x}":                  "plain $ and $x}",
		"${session}: ${ vars.goal }":       "api: a ${b}",
		"$${session} ${steps.ask.text}":    "${session} two\nlines",
		"${steps.ask.rows.0.pane}":         "%1",
		"${steps.ask.n}|${steps.ask.none}": "3|",
		"${steps.ask.map}":                 `{"a":true}`,
	} {
		args, whole, err := v.expand(map[string]any{"msg": text, "list": []any{text, 1}, "n": 5})
		if err != nil || args["msg"] != want || args["n"] != 5 || !whole["msg"] {
			t.Errorf("%s: got %v, %v", text, args, err)
			continue
		}
		if list, is := args["list"].([]any); !is || list[0] != want || list[1] != 1 {
			t.Errorf("%s: got %v", text, args["list"])
		}
	}
	if _, whole, err := v.expand(map[string]any{"a": "${steps.later.x}", "b": "x"}); err != nil || whole["a"] ||
		!whole["b"] {
		t.Errorf("got %v, %v", whole, err)
	}
	for text, says := range map[string]string{
		"${vars.gaol}": "${vars.gaol} has no value", "${steps.ask.txet}": "no \"txet\"",
		"${steps.ask.rows.7}": "none of the 1 rows",
		"${steps.ask.text.a}": "nothing in", "${session.x}": "means nothing", "${}": "empty part", "${": "no end",
	} {
		if _, _, err := v.expand(map[string]any{"msg": text}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %s", text, err, says)
		}
	}
	if _, _, err := (&values{}).expand(map[string]any{"a": "${session}"}); err == nil {
		t.Error("a session that is not there has a name")
	}
}

func FuzzParseReadsOrExplains(f *testing.F) {
	f.Add("[[step]]\nname = \"a\"\nverb = \"send\"\nargs = {msg = \"${vars.x} $${ ${steps.a.b}\"}\n")
	f.Add("[vars]\nx = \"1\"\n[[step]]\nname = \"a\"\nverb = \"v\"\nneeds = [\"b\"]\n[[step]]\nname = \"b\"\nverb = " +
		"\"v\"\nneeds = [\"a\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("p.toml", text)
		if err != nil {
			if !core.AsError(err).HasCode(core.ConfigInvalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if len(p.order()) != len(p.Steps) {
			t.Fatalf("%q: some steps never run", text)
		}
	})
}

func FuzzTextWithoutReferencesStaysAsItIs(f *testing.F) {
	f.Add("a ${vars.x} b")
	f.Add("$$$ { }")
	f.Fuzz(func(t *testing.T, text string) {
		// Written with every ${ escaped, any text means itself.
		got, err := replaceRefs(strings.ReplaceAll(text, "${", "$${"),
			func([]string) (string, error) { return "", errors.New("asked") })
		if err != nil || got != text {
			t.Fatalf("%q gives %q, %v", text, got, err)
		}
	})
}

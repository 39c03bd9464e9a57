package verbs

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/verb/registry"
)

// empty reports whether a field refuses a text because it, or an item of it, is blank.
func empty(field *registry.Field, text string) bool {
	items := []string{text}
	if field.Type == "list" && !field.Whole && field.Arg != registry.Rest {
		items = strings.Split(text, ",")
	}
	return field.Empty == "" &&
		slices.ContainsFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" })
}

// given are the ways in which a caller can give a field a text: as the flag, as an
// argument, and in a map.
func given(verb *registry.Verb, field *registry.Field, text string) map[string]func() error {
	words := func(words ...string) func() error {
		return func() error {
			flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
			bound := verb.Bind(flags)
			if err := flags.Parse(words); err != nil {
				return err
			}
			return bound.Args(flags.Args())
		}
	}
	filled := func(value any) func() error {
		return func() error {
			_, err := registry.Fill(verb, map[string]any{field.Name: value})
			return err
		}
	}
	ways := map[string]func() error{"in a map": filled(text)}
	if field.Type == "list" {
		ways["as a list in a map"] = filled([]any{"x", text})
		ways["as the only item of a list in a map"] = filled([]any{text})
	}
	if field.Flag() && registry.GlobalField(field.Name) == nil {
		ways["as a flag"], ways["as two words"] = words("--"+field.Name+"="+text), words("--"+field.Name, text)
		for _, alias := range field.Aliases {
			ways["as --"+alias.Name] = words("--" + alias.Name + "=" + text)
		}
	}
	var before []string
	for n := 1; ; n++ {
		at := registry.Positional(verb, n)
		if at == nil {
			break
		}
		if at == field {
			ways["as an argument"] = words(append(append([]string{"--"}, before...), text)...)
			break
		}
		if at.Arg == registry.Rest {
			break
		}
		before = append(before, "x")
	}
	if field.Inline && registry.Positional(verb, 1) == nil {
		ways["as a bare word"] = words("--", text)
	}
	return ways
}

// TestNoEmptyValueMeansEverything gives every text and list of every verb what an
// unset shell variable leaves. It must not be read as though nothing was given.
func TestNoEmptyValueMeansEverything(t *testing.T) {
	tried, excused := 0, 0
	for _, verb := range allVerbs().Verbs {
		for _, field := range verb.Fields() {
			if field.Type != "string" && field.Type != "list" {
				continue
			}
			if field.Empty != "" {
				excused++
			}
			for _, text := range []string{"", ",", " ", " , ", "a,", ",a", "\t"} {
				for way, give := range given(verb, field, text) {
					if separate := strings.Contains(way, "list"); !empty(field, text) ||
						separate && strings.TrimSpace(text) != "" {
						continue
					}
					tried++
					e := core.AsError(give())
					if e == nil || e.Code != core.InvalidInput {
						t.Errorf("%s: --%s %q %s: got %v", verb.Name, field.Name, text, way, e)
					}
				}
			}
		}
	}
	if tried < 2000 || excused == 0 || excused > 25 {
		t.Errorf("%d values were tried, %d fields take an empty one", tried, excused)
	}
}

// TestAnEmptyListOfAFileIsRefused gives every list of every verb none of the items
// that a step of a pipeline could name.
func TestAnEmptyListOfAFileIsRefused(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		for _, field := range verb.Fields() {
			if field.Type != "list" || field.Empty != "" {
				continue
			}
			if _, err := registry.Fill(verb,
				map[string]any{field.Name: []any{}}); !core.AsError(err).HasCode(core.InvalidInput) {
				t.Errorf("%s %s: got %v", verb.Name, field.Name, err)
			}
		}
	}
}

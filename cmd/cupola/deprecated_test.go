package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// sample is a value that a flag accepts, as it is typed.
func sample(field *registry.Field) string {
	if len(field.Enum) > 0 {
		return field.Enum[0]
	}
	return map[string]string{
		"int": "1", "duration": "1s", "since": "1h",
		"bool": "true",
	}[field.Type] + map[string]string{"string": "x", "list": "1"}[field.Type]
}

func TestDeprecatedFlagsMeanTheirReplacement(t *testing.T) {
	catalog := catalog.All()
	seen, known := 0, map[string]bool{}
	r := readReference(t)
	for name, flags := range r.Deprecated {
		verb := promised(t, catalog, name)
		for old, canonical := range flags {
			seen++
			known[old] = true
			if verb == nil {
				continue
			}
			field := verb.Field(canonical)
			if field == nil || verb.Field(old) != field {
				t.Errorf("%s: --%s is not --%s", name, old, canonical)
				continue
			}
			was, warnings := bound(t, verb, "--"+old+"="+sample(field))
			is, none := bound(t, verb, "--"+canonical+"="+sample(field))
			if want := []string{"--" + old + " is deprecated; use --" + canonical}; !slices.Equal(warnings, want) ||
				len(none) != 0 {
				t.Errorf("%s --%s warns %q, not %q; --%s warns %q", name, old, warnings, want, canonical, none)
			}
			if !reflect.DeepEqual(was, is) {
				t.Errorf("%s: --%s gives %+v, --%s %+v", name, old, was, canonical, is)
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d deprecated flags", seen)
	}
	for _, verb := range catalog.Verbs {
		for _, field := range verb.Fields() {
			for _, alias := range field.Aliases {
				if alias.Deprecated && !known[alias.Name] {
					t.Errorf("%s takes --%s, which never was its flag", verb.Name, alias.Name)
				}
			}
		}
	}
}

// bound returns a verb's input with one flag, and the warnings.
func bound(t *testing.T, verb *registry.Verb, flag string) (input any, warnings []string) {
	t.Helper()
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	b := verb.Bind(flags)
	var globals registry.Globals
	flags.BoolVar(&globals.Verbose, "verbose", false, "")
	if err := flags.Parse([]string{flag}); err != nil {
		t.Errorf("%s %s: %v", verb.Name, flag, err)
	}
	if err := globals.Apply(b); err != nil {
		t.Errorf("%s %s: %v", verb.Name, flag, err)
	}
	return b.Input(), b.Warnings()
}

func TestDeprecatedFlagsAreHiddenAndMarked(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	catalog := catalog.All()
	all, err := oneDocument(m.call("capabilities", "--verbose").stdout)
	if err != nil {
		t.Fatal(err)
	}
	r := readReference(t)
	for name, flags := range r.Deprecated {
		verb := promised(t, catalog, name)
		if verb == nil {
			continue
		}
		help := m.call("help", verb.Name).stdout
		if !strings.Contains(help, "cupola "+verb.Name) {
			t.Fatalf("help of %s: %q", name, help)
		}
		for old, canonical := range flags {
			if strings.Contains(help, "--"+old+" ") {
				t.Errorf("the help of %s shows --%s", name, old)
			}
			described := all
			if verb.Of != "" { // the list of all has its real verb
				if described, err = oneDocument(m.call("capabilities", verb.Name).stdout); err != nil {
					t.Fatal(err)
				}
			}
			path := `.commands["` + verb.Name + `"].flag_details[] | select(.name == "` + canonical +
				`") | .deprecated_aliases | index("` + old + `") != null`
			if marked, err := ask(path, described); marked != "true" {
				t.Errorf("capabilities do not say that --%s of %s is deprecated: %v", old, name, err)
			}
			row := `[.deprecations[] | select(.verb == "` + verb.Name + `" and .deprecated == "--` + old +
				`") | .use] | join(",")`
			if use, err := ask(row, all); use != "--"+canonical {
				t.Errorf("for --%s of %s capabilities say to use %q, %v", old, name, use, err)
			}
		}
	}
}

func TestDeprecatedFlagsAreWarnedOfInTheAnswer(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	catalog := catalog.All()
	deprecated := readReference(t).Deprecated
	seen := 0
	for _, name := range slices.Sorted(maps.Keys(deprecated)) {
		verb := promised(t, catalog, name)
		if verb == nil || verb.Streams {
			continue
		}
		right := words(t, verb.Examples()[0])[1:]
		if verb.Effect != registry.Reads {
			if verb.Field("dry-run") == nil {
				continue
			}
			right = append(right, "--dry-run")
		}
		if verb.Field("timeout") != nil {
			right = append(right, "--timeout=1s")
		}
		for _, old := range slices.Sorted(maps.Keys(deprecated[name])) {
			field := verb.Field(old)
			if field == nil {
				continue // held above
			}
			got := m.call(slices.Concat([]string{"--json"}, right, []string{"--" + old + "=" + sample(field)})...)
			if got.status != 0 {
				continue // the value means nothing here; what it means is held above
			}
			seen++
			want := "--" + old + " is deprecated; use --" + deprecated[name][old]
			if warned := mustAsk(t, `._agent_hints.warnings // [] | join("\n")`, got); !strings.Contains(warned, want) {
				t.Errorf("%s --%s warns %q", name, old, warned)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d flags were answered", seen)
	}
}

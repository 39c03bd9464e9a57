package main

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"cupola/core/verb/catalog"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

func TestCapabilitiesListTheCatalogAndNothingElse(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	got := m.call("capabilities")
	var verbs []string
	absent := strings.Fields(mustAsk(t, `.not_installed | join(" ")`, got))
	for _, verb := range catalog.All().RealVerbs() {
		if tool, _, _ := strings.Cut(verb.Name, "-"); slices.Contains(absent, tool) {
			continue
		}
		verbs = append(verbs, verb.Name)
	}
	slices.Sort(verbs)
	if named := mustAsk(t, `.commands | keys | join(" ")`, got); named != strings.Join(verbs, " ") {
		t.Errorf("capabilities has %s, not %s", named, verbs)
	}
}

func TestEveryCommandInTheGuideParses(t *testing.T) {
	doc, err := guide.Write(catalog.All(), guide.Reference...)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, flow := range doc.Workflows {
		for _, step := range flow.Steps {
			mustParse(t, flow.Name, step.Command)
			seen++
		}
	}
	for name, verb := range doc.Commands {
		for _, example := range verb.Examples {
			mustParse(t, name, example)
			seen++
		}
	}
	if seen < 40 {
		t.Errorf("only %d commands", seen)
	}
}

// verbFirst puts the verb before the flags in front of it.
func verbFirst(args []string) []string {
	at := slices.IndexFunc(args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if at <= 0 {
		return args
	}
	return slices.Concat(args[:1], args[at+1:at+2], args[1:at+1], args[at+2:])
}

// mustParse takes a command line as far as it goes without being run.
func mustParse(t *testing.T, where, line string) {
	t.Helper()
	args := verbFirst(words(t, line))
	if len(args) < 2 || args[0] != "cupola" {
		t.Errorf("%s: %q is no command", where, line)
		return
	}
	verb := catalog.All().Find(args[1])
	if verb == nil {
		t.Errorf("%s: %q names no verb", where, line)
		return
	}
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	bound := verb.Bind(flags)
	for _, field := range registry.GlobalFields() {
		if flags.Lookup(field.Name) == nil {
			flags.StringP(field.Name, field.Short, "", "")
			if field.Type == "bool" {
				flags.Lookup(field.Name).NoOptDefVal = "true"
			}
		}
	}
	flags.Usage = func() {}
	if err := flags.Parse(args[2:]); errors.Is(err, pflag.ErrHelp) {
		return
	} else if err != nil {
		t.Errorf("%s: %q: %v", where, line, err)
		return
	}
	if err := bound.Args(flags.Args()); err != nil {
		t.Errorf("%s: %q: %v", where, line, err)
	}
}

func TestEveryVerbIsDescribedInTheSameWay(t *testing.T) {
	takesValue := map[string]string{}
	for _, verb := range catalog.All().Verbs {
		if verb.Short == "" || strings.HasSuffix(verb.Short, ".") || verb.Group == "" {
			t.Errorf("%s: short %q, group %q", verb.Name, verb.Short, verb.Group)
		}
		if verb.Long != "" && !strings.HasSuffix(verb.Long, ".") {
			t.Errorf("%s: its long description is no sentence: %q", verb.Name, verb.Long)
		}
		for _, code := range verb.Errors {
			if _, ok := code.Row(); !ok {
				t.Errorf("%s: no row for %s", verb.Name, code)
			}
		}
		for _, field := range slices.Concat(verb.Fields(), registry.GlobalFields()) {
			if field.Help == "" || strings.HasSuffix(field.Help, ".") {
				t.Errorf("%s --%s: help %q", verb.Name, field.Name, field.Help)
			}
			// The command line is read before its verb is known, so a name must
			// take a value everywhere or nowhere.
			names := aliases(field)
			if field.Flag() {
				names = append(names, field.Name)
			}
			for _, name := range names {
				kind := "value"
				if field.Type == "bool" {
					kind = "switch"
				}
				// Sending a command as it is and checking or naming one have one word for it, and so do
				// making worktrees and saying what becomes of them; these words follow the verb.
				follows := name == "command" || name == "worktrees"
				if before := takesValue[name]; before != "" && before != kind && !follows {
					t.Errorf("%s --%s is a %s, elsewhere a %s", verb.Name, name, kind, before)
				}
				takesValue[name] = kind
			}
		}
	}
}

func aliases(field *registry.Field) []string {
	var names []string
	for _, alias := range field.Aliases {
		names = append(names, alias.Name)
	}
	return names
}

func TestTheReferenceIsFresh(t *testing.T) {
	doc, err := guide.Write(catalog.All(), guide.Reference...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/robot.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, page, _ := strings.Cut(string(text), "-->\n\n"); page != guide.Page(doc) {
		t.Error("docs/robot.md is stale: run go generate ./...")
	}
}

func TestTheGuideForAgentsIsSmallInEveryFormat(t *testing.T) {
	m := newMachine(t)
	asJSON := m.call("docs")
	if size := len(asJSON.stdout); asJSON.status != 0 || size > 35<<10 {
		t.Errorf("docs has %d bytes of JSON", size)
	}
	for _, format := range []string{"toon", "markdown"} {
		if got := m.call("docs", "--robot-format="+format); got.status != 0 || len(got.stdout) > len(asJSON.stdout) {
			t.Errorf("docs has %d bytes of %s, and %d of JSON", len(got.stdout), format, len(asJSON.stdout))
		}
	}
	verb := catalog.All().Find("docs")
	named := strings.Fields(mustAsk(t, `[.sections[].name] | join(" ")`, asJSON))
	if valid := verb.Field("sections").Enum; !slices.Equal(valid, named) {
		t.Errorf("docs takes the sections %q, and lists %q", valid, named)
	}
}

func TestTheSchemasAreFresh(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	all := m.call("schema", "all")
	// It is long: one query per field would take minutes.
	var decoded struct {
		Schema map[string]struct {
			Properties map[string]any
			Then       struct{ Required []string }
		}
	}
	if err := json.Unmarshal([]byte(all.stdout), &decoded); err != nil {
		t.Fatal(err)
	}
	types := []string{guide.EnvelopeType}
	for _, verb := range catalog.All().Verbs {
		if !slices.Contains(types, verb.Schema) {
			types = append(types, verb.Schema)
		}
		if verb.Streams {
			continue
		}
		schema := decoded.Schema[verb.Schema]
		for _, field := range reflect.VisibleFields(verb.Output()) {
			name, options, tagged := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || field.Anonymous || name == "" || name == "-" {
				continue
			}
			if _, has := schema.Properties[name]; !has {
				t.Errorf("the schema of %s has no %s: run go generate ./...", verb.Name, name)
			}
			required := slices.Contains(schema.Then.Required, name)
			if optional := tagged && strings.Contains(options, "omit"); required == optional {
				t.Errorf("the schema of %s requires %s: %t", verb.Name, name, required)
			}
		}
	}
	slices.Sort(types)
	if named := mustAsk(t, `.types | join(" ")`, all); named != strings.Join(types, " ") {
		t.Errorf("there are schemas of %s, not of %s", named, types)
	}
}

package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

// refusal is a command line that must fail, and how.
type refusal struct {
	what string
	args []string
	code core.Code
}

func TestEveryMistakeIsOneDocumentWithItsCode(t *testing.T) {
	catalog := catalog.All()
	// counted are the codes that a verb was tried with; status and frame depend on the code alone.
	var counted sync.Map
	shared := newMachine(t)
	for _, verb := range catalog.Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			m := shared.in(t)
			held := promiseOf(t, m, verb)
			for i, r := range refusals(t, catalog, verb) {
				mustRefuse(t, m, held, r)
				if _, done := counted.LoadOrStore(r.code, true); !done || i == 0 {
					mustCount(t, m, r)
				}
			}
			if out, err := m.tmux.Try("list-sessions"); err == nil {
				t.Errorf("a mistake started a server: %s", out)
			}
		})
	}
}

// promise is a verb's declaration of its answers: their shape, and how it may fail.
type promise struct {
	schema *jsonschema.Schema
	codes  []core.Code
}

func promiseOf(t *testing.T, m *machine, verb *registry.Verb) promise {
	t.Helper()
	schema, err := schemaOf(m, verb.Name)
	if err != nil {
		t.Fatal(err)
	}
	return promise{schema, guide.Describe(catalog.All(), verb, true).Errors}
}

// mustRefuse runs a command line that must fail as r says.
func mustRefuse(t *testing.T, m *machine, held promise, r refusal) {
	t.Helper()
	row, ok := r.code.Row()
	if !ok || !slices.Contains(held.codes, r.code) {
		t.Errorf("%s: %q: %s is not among the errors of the verb", r.what, r.args, r.code)
	}
	// The global flag is before a "--" that the arguments may hold.
	got := m.call(append([]string{"--robot-format=json"}, r.args...)...)
	doc, err := oneDocument(got.stdout)
	if err != nil {
		t.Errorf("%s: %q: %v", r.what, r.args, err)
		return
	}
	if err := held.schema.Validate(doc); err != nil {
		t.Errorf("%s: %q: %v", r.what, r.args, err)
	}
	if code := mustAsk(t, ".error_code", got); code != string(r.code) || got.status != row.Exit || got.stderr != "" {
		t.Errorf("%s: %q: %s with status %d, not %s with %d\n%s%s", r.what, r.args, code, got.status, r.code, row.Exit,
			got.stdout, got.stderr)
	}
}

// mustCount runs it again, with a number for each code, and with failures in the
// other frame on the other output.
func mustCount(t *testing.T, m *machine, r refusal) {
	t.Helper()
	row, _ := r.code.Row()
	got := m.call(append([]string{
		"--robot-format=json", "--exit-codes=detailed", "--errors=stderr",
		"--envelope=data",
	}, r.args...)...)
	if got.status != row.Detailed || got.stdout != "" {
		t.Errorf("%s: %q: detailed status %d, not %d; standard output has %q", r.what, r.args, got.status, row.Detailed,
			got.stdout)
	}
	doc, err := oneDocument(got.stderr)
	if err != nil {
		t.Errorf("%s: %q: standard error: %v", r.what, r.args, err)
		return
	}
	if code, err := ask(".error.code", doc); code != string(r.code) {
		t.Errorf("%s: %q: standard error: %s, %v", r.what, r.args, code, err)
	}
}

// refusals are the mistakes that can be made with a verb.
func refusals(t *testing.T, catalog *registry.Catalog, verb *registry.Verb) []refusal {
	t.Helper()
	right := words(t, verb.Examples()[0])[1:]
	with := func(more ...string) []string { return append(slices.Clone(right), more...) }
	list := []refusal{
		{"unknown flag", with("--no-such-flag"), core.UnknownFlag},
		{"unknown letter", with("-Z"), core.UnknownFlag},
		{"two verbs", with("--robot-version", "--robot-docs"), core.InvalidFlag},
	}
	if name := foreignFlag(catalog, verb); name != "" {
		list = append(list, refusal{"flag of another verb", with("--" + name + "=1"), core.InvalidFlag})
	}
	list = append(list, badForms(verb, with)...)
	list = append(list, surplus(verb)...)
	if slices.ContainsFunc(verb.Fields(), func(f *registry.Field) bool { return f.Required }) {
		list = append(list, refusal{"nothing given", []string{verb.Name}, core.MissingRequired},
			refusal{"nothing given by flag", []string{verb.RobotFlag()}, core.MissingRequired})
	} else if _, err := verb.PositionalOf("x"); err != nil {
		list = append(list, refusal{"value for a verb without", []string{verb.RobotFlag() + "=x"}, core.InvalidFlag})
	}
	for _, field := range verb.Fields() {
		if field.Flag() {
			list = append(list, badValues(field, with)...)
		}
	}
	return list
}

// surplus are arguments beyond those that a verb takes, and those that a flag has
// given already.
func surplus(verb *registry.Verb) []refusal {
	var list []refusal
	rest, bare := false, []string{verb.Name}
	for n := 1; !rest; n++ {
		field := registry.Positional(verb, n)
		if field == nil {
			break
		}
		rest = field.Arg == registry.Rest
		value := sample(field)
		if field.Flag() {
			twice := append(slices.Clone(bare), "--"+field.Name+"="+value, value)
			list = append(list, refusal{"flag and argument", twice, core.InvalidFlag})
		}
		bare = append(bare, value)
	}
	for _, field := range verb.Fields() {
		if field.Inline && len(bare) == 1 {
			twice := append(slices.Clone(bare), "--"+field.Name+"="+sample(field), sample(field))
			list = append(list, refusal{"flag and bare word", twice, core.InvalidFlag})
			bare, rest = append(bare, sample(field)), field.Type == "list"
		}
	}
	if !rest {
		list = append(list, refusal{"surplus argument", append(bare, "z"), core.TooManyValues})
	}
	return list
}

// badForms are forms of the answer that cannot be had.
func badForms(verb *registry.Verb, with func(...string) []string) []refusal {
	fields := core.InvalidInput
	if verb.List == "" {
		fields = core.InvalidFlag
	}
	return []refusal{
		{"unknown column", with("--fields=no_such_column"), fields},
		{"jq expression that is none", with("--jq=.["), core.InvalidInput},
		{"template that is none", with("--go-template={{"), core.InvalidInput},
		{"two filters", with("--jq=.", "--go-template={{.}}"), core.InvalidFlag},
		{"template and indentation", with("--pretty", "--go-template={{.}}"), core.InvalidFlag},
	}
}

// foreignFlag is a flag that other verbs take and this one does not.
func foreignFlag(catalog *registry.Catalog, verb *registry.Verb) string {
	for _, other := range catalog.Verbs {
		for _, field := range other.Fields() {
			if field.Flag() && verb.Field(field.Name) == nil && registry.GlobalField(field.Name) == nil {
				return field.Name
			}
		}
	}
	return ""
}

// badValues are values that a flag must refuse.
func badValues(field *registry.Field, with func(...string) []string) []refusal {
	var values []string
	switch field.Type {
	case "int":
		values = []string{"many", "1.5", ""}
		if field.Min != nil {
			values = append(values, strconv.Itoa(*field.Min-1))
		}
		if field.Max != nil {
			values = append(values, strconv.Itoa(*field.Max+1))
		}
	case "bool":
		values = []string{"perhaps"}
	case "duration":
		values = []string{"soon", "-5s"}
	case "since":
		values = []string{"rev:x", "long ago", "-3h"}
	}
	if len(field.Enum) > 0 {
		values = append(values, "no-such-"+field.Name)
	}
	var list []refusal
	if field.Type != "bool" {
		list = append(list, refusal{"missing value", with("--" + field.Name), core.TooFewValues})
	}
	if field.Type != "bool" && field.Short != "" {
		list = append(list, refusal{"missing value by letter", with("-" + field.Short), core.TooFewValues})
	}
	for _, value := range values {
		list = append(list, refusal{"bad value", with("--" + field.Name + "=" + value), core.InvalidInput})
	}
	for _, alias := range field.Aliases {
		if len(values) > 0 {
			list = append(list,
				refusal{"bad value by alias", with("--" + alias.Name + "=" + values[0]), core.InvalidInput})
		}
	}
	return list
}

func TestEveryWrongEnumValueNamesTheRightOnes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	seen := 0
	for i, verb := range catalog.All().Verbs {
		fields := verb.Fields()
		if i == 0 {
			// Global flags are the same to every verb.
			fields = slices.Concat(fields, registry.GlobalFields())
		}
		for _, field := range fields {
			if len(field.Enum) == 0 || !field.Flag() {
				continue
			}
			seen++
			right := words(t, verb.Examples()[0])[1:]
			typo := field.Enum[0] + "x"
			asked := []string{"--robot-format=json"}
			if field.Name == "robot-format" {
				asked = nil
			}
			got := m.call(slices.Concat(asked, right, []string{"--" + field.Name + "=" + typo})...)
			if first := mustAsk(t, ".suggestions[0]", got); first != field.Enum[0] {
				t.Errorf("%s --%s=%s suggests %s", verb.Name, field.Name, typo, first)
			}
			if valid := mustAsk(t, `.details.valid | join(",")`, got); valid != strings.Join(field.Enum, ",") {
				t.Errorf("%s --%s=%s: valid are %s", verb.Name, field.Name, typo, valid)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d flags with an enum", seen)
	}
}

func TestWithoutAnyProgramEveryVerbStillAnswers(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.more = append(m.more, "PATH="+filepath.Dir(m.program), "CUPOLA_ENGINE_KIND=tmux")
	for _, verb := range catalog.All().Verbs {
		held := promiseOf(t, m, verb)
		for _, example := range verb.Examples() {
			args := words(t, example)[1:]
			got := m.call(append([]string{"--robot-format=" + plainFormat(verb)}, args...)...)
			docs, err := documents(got.stdout)
			if err != nil || len(docs) == 0 || len(docs) > 1 && got.status != 0 {
				t.Errorf("%s: %v\n%s%s", example, err, got.stdout, got.stderr)
				continue
			}
			last := docs[len(docs)-1]
			if err := held.schema.Validate(last); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			code, err := ask(`.error_code // ""`, last)
			row, _ := core.Code(code).Row()
			switch {
			case err == nil && code == "" && got.status == 0:
			case err != nil || !slices.Contains(held.codes, core.Code(code)) || got.status != row.Exit:
				t.Errorf("%s: %s with status %d, %v", example, code, got.status, err)
			case code == string(core.ToolNotFound) && strings.HasPrefix(verb.Group, "Tools"):
				if reason, err := ask(".details.reason", last); reason != "DEPENDENCY_MISSING" {
					t.Errorf("%s: %s, %v", example, reason, err)
				}
			}
		}
	}
}

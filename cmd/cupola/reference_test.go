package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

// reference holds the promises of the reference of robot mode.
type reference struct {
	Synonyms   string
	Scope      map[registry.Scope]string
	Shared     map[string]string
	Own        map[string]string
	Deprecated map[string]map[string]string
	Globals    struct {
		Flags       string
		Environment map[string]string
	}
	Exits   map[core.Code]int
	Numbers map[string]string
	Fields  map[string]string
	Schemas map[string]string
}

func readReference(t *testing.T) reference {
	t.Helper()
	var r reference
	meta, err := toml.DecodeFile("testdata/reference.toml", &r)
	if err != nil || len(meta.Undecoded()) > 0 {
		t.Fatalf("%v, unknown: %v", err, meta.Undecoded())
	}
	return r
}

// promised returns a verb that the reference names.
func promised(t *testing.T, catalog *registry.Catalog, name string) *registry.Verb {
	t.Helper()
	verb := catalog.Find(name)
	if verb == nil {
		t.Errorf("there is no %s", name)
	}
	return verb
}

func TestReferenceVerbsHaveTheirScope(t *testing.T) {
	catalog := catalog.All()
	seen := 0
	for scope, names := range readReference(t).Scope {
		for name := range strings.FieldsSeq(names) {
			seen++
			if verb := promised(t, catalog, name); verb != nil && verb.Scope != scope {
				t.Errorf("%s is about a %s, not a %s", verb.RobotFlag(), verb.Scope, scope)
			}
		}
	}
	if seen < 70 {
		t.Errorf("only %d verbs", seen)
	}
}

func TestReferenceVerbsTakeTheirModifiers(t *testing.T) {
	catalog := catalog.All()
	r := readReference(t)
	taken := map[string][]string{}
	for flag, names := range r.Shared {
		for name := range strings.FieldsSeq(names) {
			taken[name] = append(taken[name], flag)
		}
	}
	for name, flags := range r.Own {
		taken[name] = append(taken[name], strings.Fields(flags)...)
	}
	for name, flags := range taken {
		verb := promised(t, catalog, name)
		if verb == nil {
			continue
		}
		for _, flag := range flags {
			if verb.Field(flag) == nil {
				t.Errorf("%s does not take --%s", name, flag)
			}
		}
	}
}

func TestReferenceCodesHaveTheirExitStatus(t *testing.T) {
	r := readReference(t)
	seen := 0
	for number, codes := range r.Numbers {
		for code := range strings.FieldsSeq(codes) {
			seen++
			status, other := r.Exits[core.Code(code)]
			if !other {
				status = 1
			}
			if row, ok := core.Code(code).Row(); !ok || row.Exit != status || strconv.Itoa(row.Detailed) != number {
				t.Errorf("%s: exit status %d, %d (known: %v), not %d, %s", code, row.Exit, row.Detailed, ok, status,
					number)
			}
		}
	}
	if known := len(core.Codes()); seen != known {
		t.Errorf("the reference has %d codes, the program %d", seen, known)
	}
}

func TestReferenceNamesWhatEveryVerbTakes(t *testing.T) {
	var flags []string
	for _, field := range registry.GlobalFields() {
		flags = append(flags, field.Name)
	}
	if want := strings.Fields(readReference(t).Globals.Flags); !slices.Equal(flags, want) {
		t.Errorf("every verb takes %s, not %s", flags, want)
	}
}

func TestReferenceVariablesAreFlags(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	changing := regexp.MustCompile(`\d+(\.\d+)?`)
	for name, flag := range readReference(t).Globals.Environment {
		set := func(value string, args ...string) answer {
			cmd := m.command(m.program, args...)
			cmd.Env = append(cmd.Env, name+"="+value)
			got := m.run(cmd)
			return answer{
				changing.ReplaceAllString(got.stdout, "0"), changing.ReplaceAllString(got.stderr, "0"),
				got.status,
			}
		}
		field, value, _ := strings.Cut(flag, "=")
		with, without := set("", "tail", "nowhere", "--"+flag), set("", "tail", "nowhere")
		if got := set(value, "tail", "nowhere"); got != with || got == without {
			t.Errorf("%s=%s: %+v, not %+v", name, value, got, with)
		}
		first := registry.GlobalField(field).Enum[0]
		if got := set(value, "tail", "nowhere", "--"+strings.Replace(flag, value, first, 1)); got != without {
			t.Errorf("a flag does not win over %s: %+v, not %+v", name, got, without)
		}
		if got := set("no-such", "version"); mustAsk(t, `"\(.error_code) \(.error | split(":")[0])"`,
			got) != "INVALID_INPUT "+name || got.status != 1 {
			t.Errorf("%s=no-such: %+v", name, got)
		}
	}
}

func TestReferenceFieldsAreInTheSchemas(t *testing.T) {
	r := readReference(t)
	catalog := catalog.All()
	for name, fields := range r.Fields {
		if name == "every" {
			continue
		}
		schema, err := guide.Schema(catalog.Find(name).Schema)
		if err != nil {
			t.Fatal(err)
		}
		var shape struct{ Properties map[string]any }
		if err := json.Unmarshal(schema, &shape); err != nil {
			t.Fatal(err)
		}
		for field := range strings.FieldsSeq(fields + " " + r.Fields["every"]) {
			if shape.Properties[field] == nil {
				t.Errorf("answers of %s have no %s", name, field)
			}
		}
	}
}

func TestReferenceSynonymsAreExplained(t *testing.T) {
	doc, err := guide.Write(catalog.All(), guide.All)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(readReference(t).Synonyms) {
		if !slices.ContainsFunc(doc.ParseCodes, func(topic guide.Topic) bool { return topic.Name == name }) {
			t.Errorf("%s is not explained", name)
		}
	}
}

func TestReferenceSchemasAreGiven(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	catalog := catalog.All()
	for name, of := range readReference(t).Schemas {
		verb := promised(t, catalog, of)
		if verb == nil {
			continue
		}
		for _, args := range [][]string{
			{"--schema=" + name},
			{"--schema", name},
			{"--robot-schema=" + name},
			{"schema", of},
		} {
			got := m.call(args...)
			facts := mustAsk(t, `[.type, .version, .schema["$schema"], .schema.title] | join(" ")`, got)
			if want := name + " 2.0.0 http://json-schema.org/draft-07/schema# cupola " + of; facts != want {
				t.Errorf("%q: %s, not %s", args, facts, want)
			}
		}
		if _, err := schemaOf(m, of); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

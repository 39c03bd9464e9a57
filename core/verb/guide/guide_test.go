package guide_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

type tailIn struct {
	registry.InSession
	Lines int    `alias:"!old-lines,rows" flag:"lines,n" default:"50" min:"1" help:"Lines | rows to show"`
	Mode  string `enum:"fast,slow" help:"How"`
}

type tailOut struct {
	Panes []struct {
		Name string `json:"name"`
	} `json:"panes" minimal:"name"`
}

// env is an environment of nothing.
type env struct{ registry.Caller }

func (*env) Sessions(context.Context) []string { return nil }

func (*env) Open(_ context.Context, own *env) (*env, error) { return own, nil }

// catalog holds a verb about a session, a stream and one about another thing.
func catalog() *registry.Catalog {
	tail := registry.Define(registry.Spec[*env, tailIn, tailOut]{
		Name: "tail", Aliases: []string{"last"}, Short: "Show lines", Long: "All of them.", Scope: registry.Session,
		Effect:   registry.Reads,
		Examples: []string{"api --lines=5"}, Schema: "status",
		List: "panes", Errors: []core.Code{core.SessionNotFound},
	})
	flow := registry.Define(registry.Spec[*env, struct{}, tailOut]{
		Name: "flow", Short: "Stream", Scope: registry.Global,
		Effect: registry.Reads, Examples: []string{""},
	})
	flow.Streams = true
	get := registry.Define(registry.Spec[*env, struct {
		Key string `arg:"1" help:"A key"`
	}, struct{}]{Name: "get", Short: "Get", Scope: registry.Resource, Effect: registry.Reads})
	return &registry.Catalog{
		Verbs: []*registry.Verb{tail, flow, get},
	}
}

func TestDescribeSaysWhatAVerbTakes(t *testing.T) {
	c := catalog()
	short := guide.Describe(c, c.Find("tail"), false)
	if short.Full != nil || short.Usage != "SESSION" || short.Description != "Show lines" {
		t.Errorf("got %+v", short)
	}
	full := guide.Describe(c, c.Find("tail"), true)
	if full.Robot != "--robot-tail=SESSION" ||
		!slices.Equal(full.Flags, []string{"--lines", "--mode"}) || len(full.Arguments) != 1 ||
		full.Arguments[0].Name != "session" || !full.Arguments[0].Required || len(full.FlagDetails) != 2 {
		t.Errorf("got %+v", full.Full)
	}
	lines := full.FlagDetails[0]
	if lines.Default != "50" || lines.Short != "n" || !slices.Equal(lines.Aliases, []string{"rows"}) ||
		!slices.Equal(lines.Deprecated, []string{"old-lines"}) {
		t.Errorf("got %+v", lines)
	}
	if !slices.Equal(full.Fields, []string{"name"}) || full.SchemaType != "status" ||
		!slices.Equal(full.Examples, []string{"cupola tail api --lines=5"}) {
		t.Errorf("got %+v", full.Full)
	}
	for _, code := range []core.Code{core.SessionNotFound, core.MissingRequired, core.InternalError} {
		if !slices.Contains(full.Errors, code) {
			t.Errorf("the errors %v lack %s", full.Errors, code)
		}
	}
	for name, formats := range map[string][]string{
		"tail": {"json", "toon", "markdown", "terse", "ndjson"}, "flow": {"ndjson"},
		"get": {"json", "toon", "markdown", "terse"},
	} {
		if got := guide.Describe(c, c.Find(name), true); !slices.Equal(got.Formats, formats) {
			t.Errorf("%s: formats are %q", name, got.Formats)
		}
	}
	if got := guide.Describe(c, c.Find("get"), true).Robot; got != "--robot-get=VALUE" {
		t.Errorf("got %s", got)
	}
	if got := guide.Describe(c, c.Find("flow"), true).Robot; got != "--robot-flow" {
		t.Errorf("got %s", got)
	}
}

func TestDeprecationsNameWhatReplacesThem(t *testing.T) {
	want := []guide.Deprecation{{Verb: "tail", Deprecated: "--old-lines", Use: "--lines"}}
	if got := guide.Deprecations(catalog()); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestTheDocumentHasTheSectionsAskedFor(t *testing.T) {
	c := catalog()
	c.Verbs = c.Verbs[:1]
	usual, err := guide.Write(c, guide.Usual...)
	if err != nil || len(usual.Daily) == 0 || len(usual.StateVerbs) == 0 ||
		!slices.ContainsFunc(usual.Kinds, func(kind guide.Topic) bool { return kind.Name == "scripted" }) {
		t.Errorf("usually: %+v, %v", usual, err)
	}
	if usual.Commands != nil || usual.Globals != nil || usual.ErrorCodes != nil || usual.Deprecations != nil ||
		usual.EnvelopeSchema != nil {
		t.Errorf("more than the usual: %+v", usual)
	}
	printed, err := guide.Write(c, guide.Reference...)
	if err != nil || len(printed.Commands) != 1 || len(printed.Globals) != len(registry.GlobalFields()) ||
		len(printed.ErrorCodes) != len(core.Codes()) {
		t.Errorf("in print: %+v, %v", printed, err)
	}
	if printed.Commands["tail"].ResponseSchema != nil {
		t.Error("the reference has schemas")
	}
	everything, err := guide.Write(c, guide.All)
	if err != nil || everything.Commands["tail"].ResponseSchema == nil || everything.EnvelopeSchema == nil ||
		everything.Workflows == nil {
		t.Errorf("all: %+v, %v", everything, err)
	}
	if _, err := guide.Write(c, "none-such"); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("an unknown section: %v", err)
	}
	c.Verbs[0].Schema = "none-such"
	if _, err := guide.Write(c, guide.All); core.AsError(err) == nil {
		t.Error("a verb without a schema was documented with one")
	}
}

func TestTheIndexSaysHowLargeEachSectionIs(t *testing.T) {
	c := catalog()
	c.Verbs = c.Verbs[:1]
	rows, err := guide.Index(c)
	if err != nil || rows[len(rows)-1].Name != guide.All {
		t.Fatalf("got %+v, %v", rows, err)
	}
	for _, row := range rows {
		doc, err := guide.Write(c, row.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(doc)
		if difference := len(text) - row.Bytes; err != nil || difference < -1000 || difference > 1000 {
			t.Errorf("%s: %d bytes, and not %d: %v", row.Name, len(text), row.Bytes, err)
		}
	}
}

func TestPageIsMarkdownOfTheDocument(t *testing.T) {
	c := catalog()
	c.Verbs = c.Verbs[:1]
	doc, err := guide.Write(c, guide.All)
	if err != nil {
		t.Fatal(err)
	}
	doc.Sections = []guide.Section{{
		Name: "all", Description: "All of it", Bytes: 1234,
		Command: "cupola docs --sections=all",
	}}
	page := guide.Page(doc)
	for _, line := range []string{
		"# Robot mode", "### tail", "Show lines. All of them.", "    cupola tail SESSION",
		"    cupola --robot-tail=SESSION", "    cupola tail api --lines=5",
		`| ` + "`--lines, -n`" + ` | int | verb | Lines \| rows to show; default 50 |`,
		"| `--mode` | string | verb | How (fast, slow) |", "`--fields`: name.", "| tail | `--old-lines` | `--lines` |",
		"| `TIMEOUT` | Operation timed out | 1 | 124 |",
		"| `cupola docs --sections=all` | All of it | 1234 |",
	} {
		if !slices.Contains(strings.Split(page, "\n"), line) {
			t.Errorf("%q is no line of the page", line)
		}
	}
	short, err := guide.Write(c, "flags")
	if page := guide.Page(short); err != nil || strings.Count(page, "\n## ") != 1 ||
		!strings.Contains(page, "\n## Global flags\n") {
		t.Errorf("a page of one section: %s, %v", page, err)
	}
}

func TestSchemasAreKnownByType(t *testing.T) {
	types, err := guide.SchemaTypes()
	if err != nil || !slices.IsSorted(types) || !slices.Contains(types, "status") {
		t.Fatalf("got %q, %v", types, err)
	}
	for _, name := range types {
		text, err := guide.Schema(name)
		var schema map[string]any
		if err != nil || json.Unmarshal(text, &schema) != nil || schema["$schema"] == nil || schema["title"] == nil {
			t.Errorf("%s: %v, %.100s", name, err, text)
		}
	}
	own, err := guide.OwnSchema("status")
	if whole, err := guide.Schema("status"); err != nil || strings.Contains(string(own), `"error_code": {`) ||
		!strings.Contains(string(whole), `"error_code":{`) {
		t.Errorf("the envelope is in the schema's own part, or missing in the whole: %d of %d bytes, %v", len(own),
			len(whole), err)
	}
	if err != nil {
		t.Error(err)
	}
	_, err = guide.Schema("statsu")
	e := core.AsError(err)
	if e == nil || e.Code != core.InvalidInput || !slices.Equal(e.Suggestions, []string{"status"}) ||
		e.Slip.Word != "statsu" {
		t.Errorf("got %+v", e)
	}
}

package robot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

func TestAFilterSeesTheWholeAnswer(t *testing.T) {
	for _, test := range []struct {
		why     string
		globals registry.Globals
		verb    *registry.Verb
		want    string
	}{
		{
			"jq",
			registry.Globals{JQ: `[.success, .place, (.rows | length), ._meta.revision] | join(",")`},
			look,
			"true,über there,2,7\n",
		},
		{
			"jq, indented",
			registry.Globals{JQ: ".rows[0]", Pretty: true},
			look,
			"{\n  \"count\": 1,\n  \"name\": \"a b\"\n}\n",
		},
		{"a template", registry.Globals{GoTemplate: `{{range .rows}}{{.name}};{{end}}`}, look, "a b;c=|d;\n"},
		{
			"columns are chosen before",
			registry.Globals{JQ: ".rows[0] | keys | join(\",\")", Fields: []string{"name"}},
			look, "name\n",
		},
		{"the other envelope", registry.Globals{JQ: ".data.place", Envelope: "data"}, look, "über there\n"},
		{
			"each line of a stream",
			registry.Globals{JQ: `.type + " " + (.n | tostring)`},
			flow,
			"seen 0\nseen 1\nend null\n",
		},
	} {
		s := newStage(test.globals)
		if status := s.Run(t.Context(), test.verb, lookIn{}); status != 0 || s.out.String() != test.want {
			t.Errorf("%s: exit %d, %q", test.why, status, &s.out)
		}
	}
	s := newStage(registry.Globals{JQ: ".text"})
	if status := s.Answer(t.Context(), "help", map[string]string{"text": "read me"}); status != 0 ||
		s.out.String() != "read me\n" {
		t.Errorf("what is no verb's: exit %d, %q", status, &s.out)
	}
}

func TestFailedFilterIsOneFailure(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		why     string
		ctx     context.Context
		globals registry.Globals
		code    core.Code
		status  int
	}{
		{"it does not fit", t.Context(), registry.Globals{JQ: ".rows + 1"}, core.InvalidInput, 1},
		{
			"the template does not fit", t.Context(),
			registry.Globals{GoTemplate: "{{.rows.name}}"},
			core.InvalidInput,
			1,
		},
		{
			"it makes too much", t.Context(),
			registry.Globals{GoTemplate: "{{range 1000}}" + strings.Repeat("x", 1<<18) + "{{end}}"},
			core.InvalidInput,
			1,
		},
		{"the caller left", over, registry.Globals{JQ: "last(range(1; infinite))"}, core.Cancelled, 130},
	} {
		s := newStage(test.globals)
		status := s.Run(test.ctx, look, lookIn{})
		if doc := decode(t, s.out.String()); status != test.status || doc["error_code"] != string(test.code) {
			t.Errorf("%s: exit %d, %.300s", test.why, status, &s.out)
		}
	}
	s := newStage(registry.Globals{JQ: "if .n == 1 then error else .n end"})
	if status := s.Run(t.Context(), flow, lookIn{}); status != 1 ||
		!strings.HasPrefix(s.out.String(), "0\n{\"type\":\"end\",\"success\":false,") {
		t.Errorf("in the midst of a stream: exit %d, %s", status, &s.out)
	}
	s = newStage(registry.Globals{JQ: ".", ExitCodes: "detailed"})
	s.Stdout = brokenPipe{}
	if status := s.Run(t.Context(), look, lookIn{}); status != 12 {
		t.Errorf("no reader: exit %d", status)
	}
}

func TestChosenColumnsAreATableForPeople(t *testing.T) {
	type in struct{}
	type row struct {
		State string         `json:"state"`
		Count int            `json:"count"`
		Tags  []string       `json:"tags"`
		More  map[string]int `json:"more"`
		None  any            `json:"none"`
	}
	type out struct {
		Rows []row `json:"rows"`
	}
	verb := registry.Define(registry.Spec[*verb.Env, in, out]{
		Name: "see", List: "rows",
		Run: func(context.Context, *verb.Env, in) (out, error) {
			return out{[]row{{State: "idle", Count: 3, Tags: []string{"a"}, More: map[string]int{"b": 1}}}}, nil
		},
	})
	s := newStage(registry.Globals{Fields: []string{"state", "count", "tags", "more", "none"}})
	describe, err := s.Columns(verb)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := verb.Call(t.Context(), s.Env, in{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := describe(reply)
	if err != nil {
		t.Fatal(err)
	}
	table := shown.Blocks[0].Table
	want := []report.Cell{
		report.Toned(report.StateTone(core.Idle), "idle"), report.Text("3"), report.Text(`["a"]`),
		report.Text(`{"b":1}`), report.Text(""),
	}
	if len(table.Rows) != 1 || !slices.Equal(table.Rows[0], want) || table.Columns[0].Title != "STATE" {
		t.Errorf("got %+v", table)
	}
	reply.Value = out{Rows: []row{}}
	if shown, err = describe(reply); err != nil || shown.Blocks[0].Table.Empty != "no rows" ||
		len(shown.Blocks[0].Table.Rows) != 0 {
		t.Errorf("of none: %+v, %v", shown, err)
	}
	if describe, err := newStage(registry.Globals{}).Columns(verb); describe != nil || err != nil {
		t.Errorf("without a choice: %v", err)
	}
	s.Globals.Fields = []string{"stat"}
	if describe, err = s.Columns(verb); err == nil {
		_, err = describe(reply)
	}
	if !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("an unknown column: %v", err)
	}
}

package render_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/render"
)

var fleetDoc = fields(paneRows, sessionRow)

func selection(fields ...string) render.Selection {
	return render.Selection{Fields: fields, Lists: []render.List{
		{
			Name: "panes", Columns: []string{"name", "state", "view", "view.x", "view.y", "since"},
			Presets: map[string][]string{"minimal": {"name", "state"}, "brief": {"name"}},
		},
		{
			Name: "sessions", Columns: []string{"name", "id", "marks", "marks.n"},
			Presets: map[string][]string{"minimal": {"name"}},
		},
	}}
}

const (
	paneRows   = `{"name":"a","state":"idle","view":{"x":1,"y":2}},{"name":"b","view":{"x":3}}`
	sessionRow = `{"name":"api","id":"$1","marks":[{"n":1},{"n":2}]}`
	// sessionBrief is the session if only columns of panes are named.
	sessionBrief = `{"name":"api"}`
)

// fields is the document with those rows in its lists.
func fields(panes, sessions string) string {
	return `{"version":"1","panes":[` + panes + `],"sessions":[` + sessions + `],"words":["x"],"summary":{"panes":2}}`
}

func TestSelectKeepsTheChosenColumns(t *testing.T) {
	whole := fleetDoc
	for _, test := range []struct {
		why    string
		fields []string
		want   string
	}{
		{"nothing chosen", nil, whole},
		{"everything", []string{"full"}, whole},
		{"the standard of a verb that has none", []string{"standard"}, whole},
		{
			"a preset of every list",
			[]string{"minimal"},
			fields(`{"name":"a","state":"idle"},{"name":"b","state":null}`, `{"name":"api"}`),
		},
		{"a preset that one list has", []string{"brief"}, fields(`{"name":"a"},{"name":"b"}`, sessionRow)},
		{
			"columns in the order asked for",
			[]string{"state", "name"},
			fields(`{"state":"idle","name":"a"},{"state":null,"name":"b"}`, sessionBrief),
		},
		{
			"into objects",
			[]string{"view.x", "view.y"},
			fields(`{"view.x":1,"view.y":2},{"view.x":3,"view.y":null}`, sessionBrief),
		},
		{"a column twice", []string{"name", "name"}, fields(`{"name":"a"},{"name":"b"}`, sessionBrief)},
		{"a column that no row has now", []string{"since"}, fields(`{"since":null},{"since":null}`, sessionBrief)},
		{"columns of two lists", []string{"name", "sessions.id"}, fields(`{"name":"a"},{"name":"b"}`, `{"id":"$1"}`)},
		{"the first list by its name", []string{"panes.name"}, fields(`{"name":"a"},{"name":"b"}`, sessionBrief)},
		{
			"another list alone",
			[]string{"sessions.name"},
			fields(`{"name":"a","state":"idle"},{"name":"b","state":null}`, sessionBrief),
		},
		{
			"into a list of a row",
			[]string{"brief", "sessions.marks.n"},
			fields(`{"name":"a"},{"name":"b"}`, `{"marks.n":[1,2]}`),
		},
		{
			"a preset and a column",
			[]string{"brief", "view.x"},
			fields(`{"name":"a","view.x":1},{"name":"b","view.x":3}`, sessionRow),
		},
	} {
		got, err := render.Select(object(t, fleetDoc), selection(test.fields...))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var b strings.Builder
		if err := render.JSON(&b, got, false); err != nil || b.String() != test.want {
			t.Errorf("%s: got %s (%v), want %s", test.why, b.String(), err, test.want)
		}
	}
}

func TestPresentLeavesOutWhatRowsLack(t *testing.T) {
	doc := object(t, `{"n":null,"panes":[{"a":1,"b":null},{"a":null,"b":[null]}],"words":["x"]}`)
	var b strings.Builder
	if err := render.JSON(&b, render.Present(doc), false); err != nil ||
		b.String() != `{"n":null,"panes":[{"a":1},{"b":[null]}],"words":["x"]}` {
		t.Errorf("got %s, %v", b.String(), err)
	}
}

func TestSelectKeepsShapeOfEmptyLists(t *testing.T) {
	const empty = `{"panes":[],"sessions":[],"words":[]}`
	for _, field := range []string{"name", "minimal", "sessions.name"} {
		got, err := render.Select(object(t, empty), selection(field))
		if want := object(t, empty); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", field, got, err)
		}
	}
}

func TestSelectRefusesAnUnknownColumn(t *testing.T) {
	for _, field := range []string{"stat", "view.z", "", "name.x", "sessions", "sessions.view", "words.x"} {
		_, err := render.Select(object(t, fleetDoc), selection("name", field))
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput {
			t.Errorf("%q: got %v", field, err)
			continue
		}
		want := "Valid fields: name, state, view, view.x, view.y, since; or brief, full, minimal, standard."
		if e.Hint != want {
			t.Errorf("%q: the hint is %q", field, e.Hint)
		}
		if field == "stat" && !slices.Contains(e.Suggestions, "state") {
			t.Errorf("suggestions are %q", e.Suggestions)
		}
	}
}

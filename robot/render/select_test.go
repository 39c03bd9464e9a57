package render_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/robot/render"
)

const fleetDoc = `{"version":"1","panes":[{"name":"a","state":"idle","view":{"x":1,"y":2}},{"name":"b","view":{"x":3}}],` +
	`"sessions":[{"name":"api"}],"words":["x"],"summary":{"panes":2}}`

func selection(fields ...string) render.Selection {
	return render.Selection{
		Rows: "panes", Fields: fields, Columns: []string{"name", "state", "view", "view.x", "view.y", "since"}, Lists: []string{"sessions", "panes"},
		Presets: map[string][]string{"minimal": {"name", "state"}},
	}
}

func TestSelectKeepsTheChosenColumns(t *testing.T) {
	const whole = fleetDoc
	for _, test := range []struct {
		why    string
		fields []string
		want   string
	}{
		{"nothing chosen", nil, whole},
		{"everything", []string{"full"}, whole},
		{"the standard of a verb that has none", []string{"standard"}, whole},
		{"a preset", []string{"minimal"}, `{"version":"1","panes":[{"name":"a","state":"idle"},{"name":"b","state":""}],"words":["x"],"summary":{"panes":2}}`},
		{"columns in the order asked for", []string{"state", "name"}, `{"version":"1","panes":[{"state":"idle","name":"a"},{"state":"","name":"b"}],"words":["x"],"summary":{"panes":2}}`},
		{"into objects", []string{"view.x", "view.y"}, `{"version":"1","panes":[{"view.x":1,"view.y":2},{"view.x":3,"view.y":""}],"words":["x"],"summary":{"panes":2}}`},
		{"a column twice", []string{"name", "name"}, `{"version":"1","panes":[{"name":"a"},{"name":"b"}],"words":["x"],"summary":{"panes":2}}`},
		{"a column that no row has now", []string{"since"}, `{"version":"1","panes":[{"since":""},{"since":""}],"words":["x"],"summary":{"panes":2}}`},
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

func TestSelectHasOneShapeWhetherListsAreEmptyOrNot(t *testing.T) {
	got, err := render.Select(object(t, `{"panes":[],"sessions":[],"words":[]}`), selection("name"))
	want := render.Object{{Key: "panes", Value: []any{}}, {Key: "words", Value: []any{}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSelectRefusesAnUnknownColumn(t *testing.T) {
	for _, field := range []string{"stat", "view.z", "", "name.x"} {
		_, err := render.Select(object(t, fleetDoc), selection("name", field))
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput {
			t.Errorf("%q: got %v", field, err)
			continue
		}
		if want := "Valid fields: name, state, view, view.x, view.y, since; or full, minimal, standard."; e.Hint != want {
			t.Errorf("%q: the hint is %q", field, e.Hint)
		}
		if field == "stat" && !slices.Contains(e.Suggestions, "state") {
			t.Errorf("suggestions are %q", e.Suggestions)
		}
	}
}

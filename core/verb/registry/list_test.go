package registry_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"cupola/core/text/report"
	"cupola/core/verb/registry"
)

type listedRow struct {
	_    struct{} `minimal:"name" standard:"name,count"`
	Name string   `json:"name" table:"NAME,strong"`

	Count int `json:"count" table:"COUNT"`
}

type listedOut struct {
	Rows   []listedRow `json:"rows" empty:"nothing"`
	Others []listedRow `json:"others" minimal:"count"`
	Words  []string    `json:"words"`
}

// listing is a verb that answers with a value, about the list rows.
func listing[Out any](out Out) *registry.Verb {
	return registry.Define(registry.Spec[*env, struct{}, Out]{
		Name: "listing", List: "rows",
		Run: func(context.Context, *env, struct{}) (Out, error) { return out, nil },
	})
}

func TestPresetsComeFromTheTagsOfRowsAndLists(t *testing.T) {
	verb := listing(listedOut{})
	want := map[string]map[string]string{
		"rows":   {"minimal": "name", "standard": "name,count"},
		"others": {"minimal": "count"},
	}
	if lists := verb.Lists(); len(lists) != len(want) || verb.Rows().Name != "rows" {
		t.Errorf("got %+v", lists)
	}
	for _, list := range verb.Lists() {
		got := map[string]string{}
		for name, columns := range list.Presets {
			got[name] = strings.Join(columns, ",")
		}
		if err := list.Check(); err != nil || !maps.Equal(got, want[list.Name]) {
			t.Errorf("%s: got %v, %v", list.Name, got, err)
		}
	}
}

func TestBadListsAreRefused(t *testing.T) {
	type row struct {
		Name string `json:"name"`
	}
	type badRow struct {
		Name string `json:"name" table:"NAME,loud"`
	}
	for want, verb := range map[string]*registry.Verb{
		`the list "rows" has no preset minimal`: listing(struct {
			Rows []row `json:"rows" standard:"name"`
		}{}),
		"the preset minimal of rows names nam, which is no column": listing(struct {
			Rows []row `json:"rows" minimal:"nam"`
		}{}),
		`there is no option "loud"`: listing(struct {
			Rows []badRow `json:"rows" minimal:"name"`
		}{}),
	} {
		if err := verb.Rows().Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

type reportedOut struct {
	Rows []listedRow `json:"rows"`
}

type filteredOut struct {
	Filters registry.OfSession `json:"filters"`
	Rows    []listedRow        `json:"rows" empty:"nothing" filtered:"nothing fits"`
}

func (reportedOut) Report() *report.Report { return report.Say(report.Text("told")) }

func TestAnAnswerIsShownByItselfOrAsATable(t *testing.T) {
	said := func(verb *registry.Verb) *report.Report {
		reply, err := verb.Call(t.Context(), &env{}, struct{}{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Report()
	}
	if got := said(listing(reportedOut{})).Blocks[0].Lines[0][0].Text; got != "told" {
		t.Errorf("got %q", got)
	}
	table := said(listing(listedOut{Rows: []listedRow{{Name: "api", Count: 2}}})).Blocks[0].Table
	if table.Empty != "nothing" || table.Columns[1].Title != "COUNT" ||
		table.Rows[0][0] != report.Toned(report.Strong, "api") {
		t.Errorf("got %+v", table)
	}
	filtered := filteredOut{}
	if got := said(listing(filtered)).Blocks[0].Table.Empty; got != "nothing" {
		t.Errorf("without a filter: %q", got)
	}
	filtered.Filters.Session = "api"
	if got := said(listing(filtered)).Blocks[0].Table.Empty; got != "nothing fits" {
		t.Errorf("with a filter: %q", got)
	}
	plain := struct {
		Rows []string `json:"rows"`
	}{}
	if got := said(listing(plain)); got != nil {
		t.Errorf("got %+v", got)
	}
}

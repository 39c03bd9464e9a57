package work

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// drafted is the work of items written as "id priority days links", days being
// how old and how long untouched they are.
func drafted(t *testing.T, lines ...string) *work {
	t.Helper()
	w := &work{now: verbtest.Noon, set: &bead.Set{}}
	for _, line := range lines {
		var item bead.Item
		var days int
		var links string
		if n, err := fmt.Sscan(line, &item.ID, &item.Priority, &days, &links); n < 3 {
			t.Fatalf("%q: %v", line, err)
		}
		item.Status, item.Type, item.Title = bead.Open, "task", "T"
		item.Created = verbtest.Noon.Add(-time.Duration(days) * 24 * time.Hour)
		item.Updated = item.Created
		for to := range strings.FieldsFuncSeq(links, func(r rune) bool { return r == ',' }) {
			item.Links = append(item.Links, bead.Link{To: to, Kind: bead.Blocks})
		}
		w.items = append(w.items, item)
	}
	slices.SortFunc(w.items, func(a, b bead.Item) int { return strings.Compare(a.ID, b.ID) })
	w.set.Items = w.items
	w.graph = bead.NewGraph(w.items, verbtest.Noon)
	w.path = w.graph.CriticalPath()
	return w
}

func TestItemScoreGivesReasons(t *testing.T) {
	w := drafted(t, "old 4 100", "urgent 0 0", "hub 2 1", "a 2 0 hub", "b 2 0 hub,a", "c 2 0 b")
	want := map[string]struct {
		score int
		why   string
	}{
		"old": {10, "priority 4, 100 days old"}, "urgent": {40, "priority 0"},
		"hub": {20 + 10 + 5 + 5 + 10, "priority 2, 3 items waiting for it, first of a chain of 4, 1 day old"},
	}
	var order []string
	for _, item := range w.recommended() {
		order = append(order, item.ID)
		if got := w.recommend(item); got.Score != want[item.ID].score || got.Why != want[item.ID].why {
			t.Errorf("%s: got %d, %s", item.ID, got.Score, got.Why)
		}
	}
	if !slices.Equal(order, []string{"hub", "urgent", "old"}) {
		t.Errorf("the order is %q", order)
	}
}

func TestEachStrategyHasItsOrder(t *testing.T) {
	w := drafted(t, "hub 3 1", "x 3 0 hub", "y 3 0 hub", "urgent 0 2", "stale 4 50", "mine 0 60", "plain 2 3")
	w.graph.Item("mine").Assignee = "somebody"
	for strategy, want := range map[string]string{
		"impact": "hub urgent plain stale", "ready": "urgent plain hub stale", "stale": "stale plain urgent hub",
		"balanced": "hub urgent stale plain",
	} {
		if got := strings.Join(idsOf(w.unassigned(strategy)), " "); got != want {
			t.Errorf("%s: got %s, want %s", strategy, got, want)
		}
	}
	if item, err := w.toAssign(""); err != nil || item.ID != "hub" {
		t.Errorf("the first is %+v, %v", item, err)
	}
	for id, code := range map[string]core.Code{"mine": core.Conflict, "x": core.Conflict, "none": core.NotFound} {
		if _, err := w.toAssign(id); core.AsError(err) == nil || core.AsError(err).Code != code {
			t.Errorf("%s: got %v", id, err)
		}
	}
	if _, err := drafted(t).toAssign(""); core.AsError(err) == nil || core.AsError(err).Code != core.NotReady {
		t.Errorf("got %v", err)
	}
}

func TestRiskFollowsItsSigns(t *testing.T) {
	open, busy, done := fileItem{ID: "a", Status: "open"}, fileItem{ID: "b", Status: "in_progress"},
		fileItem{ID: "c", Status: "closed"}
	many := make([]relation, 3)
	for _, test := range []struct {
		out  impactOut
		risk string
		why  string
	}{
		{impactOut{}, "low", ""},
		{impactOut{Items: []fileItem{done}, Changes: 9, Related: many[:2]}, "low", ""},
		{impactOut{Items: []fileItem{open}}, "medium", "1 open item about it"},
		{impactOut{Related: many}, "medium", "3 files that change with it"},
		{impactOut{Changes: 10, Related: many}, "high", "3 files that change with it, changed 10 times"},
		{impactOut{Items: []fileItem{open, busy}}, "high", "in progress: b, 2 open items about it"},
	} {
		test.out.judge()
		if got := strings.Join(test.out.Why, ", "); test.out.Risk != test.risk || got != test.why {
			t.Errorf("got %s: %s, want %s: %s", test.out.Risk, got, test.risk, test.why)
		}
	}
}

func TestAPartOfAWholeIsReadInEveryForm(t *testing.T) {
	for text, want := range map[string]int{
		"0.5": 50, "50%": 50, "50": 50, "1": 100, "0": 0, "1%": 1, "0.25": 25,
		"100": 100,
	} {
		if got, err := percentOf(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "half", "-1", "101", "NaN", "Inf", "200%"} {
		if got, err := percentOf(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestATemplateIsAFileOrTheTextItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompt.md")
	if err := os.WriteFile(path, []byte("do {id}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"": usualPrompt, path: "do {id}\n", "fix {id}": "fix {id}",
		"{title}": "{title}", "two words": "two words",
	} {
		if got, err := promptOf(given); err != nil || got != want {
			t.Errorf("%q: got %q, %v", given, got, err)
		}
	}
	for given, code := range map[string]core.Code{
		"/nowhere/prompt.md": core.InvalidInput,
		"nowhere.md":         core.InvalidInput, "do {it}": core.InvalidInput, " ": core.InvalidInput,
	} {
		if _, err := promptOf(given); core.AsError(err) == nil || core.AsError(err).Code != code {
			t.Errorf("%q: got %v", given, err)
		}
	}
}

func TestProjectIsFoundByFolderOrSession(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
	ctx := t.Context()
	for _, test := range []struct {
		in   verb.InProject
		want string
	}{{verb.InProject{}, env.Dir}, {verb.InProject{Dir: "/src"}, "/src"}, {verb.InProject{Session: "api"}, "/"}} {
		if got, err := test.in.Folder(ctx, env); err != nil || got != test.want {
			t.Errorf("%+v: got %s, %v", test.in, got, err)
		}
	}
	if _, err := (verb.InProject{Dir: "/", Session: "api"}).Folder(ctx, env); core.AsError(err) == nil ||
		core.AsError(err).Code != core.InvalidFlag {
		t.Errorf("got %v", err)
	}
	if _, err := (verb.InProject{Session: "apo"}).Folder(ctx, env); core.AsError(err) == nil ||
		core.AsError(err).Code != core.SessionNotFound {
		t.Errorf("got %v", err)
	}
}

func TestListsOfItemsAreFiltered(t *testing.T) {
	for _, test := range []struct {
		in   beadListIn
		want string
	}{
		{beadListIn{}, "bd-2 bd-1 bd-3 bd-4 bd-5 bd-7"},
		{
			beadListIn{beadFilters: beadFilters{Status: []string{"all"}, Type: []string{"task"}}},
			"bd-2 bd-1 bd-6 bd-4 bd-7",
		},
		{beadListIn{beadFilters: beadFilters{Priority: []string{"P0", "2"}}}, "bd-2 bd-3 bd-4"},
		{beadListIn{beadFilters: beadFilters{Assignee: "somebody"}}, "bd-4"},
		{beadListIn{beadFilters: beadFilters{Assignee: "-", Ready: true}}, "bd-1 bd-5 bd-7"},
		{beadListIn{beadFilters: beadFilters{Blocked: true}}, "bd-2 bd-3"},
		{beadListIn{beadFilters: beadFilters{Label: []string{"config"}}}, "bd-1"},
		{beadListIn{beadFilters: beadFilters{Query: "MAIN.go"}}, "bd-1 bd-7"},
		{beadListIn{Page: registry.Page{Limit: 2, Offset: 1}}, "bd-1 bd-3"},
	} {
		out, err := verbtest.Call[beadListOut](t, Verbs, &verbtest.Server{}, test.in)
		var got []string
		for _, row := range out.Items {
			got = append(got, row.ID)
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: got %q, %v", test.in, got, err)
		}
	}
}

func TestADescriptionCanComeFromStandardInput(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
	out, err := runBeadCreate(t.Context(), env, beadCreateIn{Title: "T", Description: "-"})
	if err != nil || out.Item.ID != "bd-new" {
		t.Fatalf("got %+v, %v", out, err)
	}
	log, err := os.ReadFile(filepath.Join(env.Dir, ".beads", "bd.log"))
	if err != nil || !strings.Contains(string(log), "--description=from standard input") {
		t.Errorf("it was asked for %q, %v", log, err)
	}
	for _, title := range []string{" ", "two\nlines"} {
		if _, err := beadCreate.Call(t.Context(), env, beadCreateIn{Title: title}, nil); core.AsError(err) == nil ||
			core.AsError(err).Code != core.InvalidInput {
			t.Errorf("%q: got %v", title, err)
		}
	}
}

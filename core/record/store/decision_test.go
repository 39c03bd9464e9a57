package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/record/store"
)

func anAnswer(minute int, session, agent string) core.Decision {
	return core.Decision{
		At: noon.Add(time.Duration(minute) * time.Minute), Server: "/s",
		PaneRef: core.PaneRef{Session: session, Ordinal: 1, Pane: "%1", Agent: agent, Kind: "claude"},
		Origin:  "answer", By: "boss/cc_1", Reason: "approval", Asks: "rm -r build", Act: "approve", Chosen: "Yes",
		Outcome: "resolved",
	}
}

func TestAnswersAreSelectedAndPaged(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	all := []core.Decision{anAnswer(0, "api", "cc_1"), anAnswer(1, "web", "cc_2"), anAnswer(2, "api", "cc_1")}
	all[1].Kind, all[1].Text = "codex", "use \x00 the\nother"
	for _, a := range all {
		if err := store.DecisionsIn(s).Save(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		query store.PromptQuery
		want  []int
		total int
	}{
		"all":            {store.PromptQuery{}, []int{2, 1, 0}, 3},
		"of a session":   {store.PromptQuery{Session: "api"}, []int{2, 0}, 2},
		"of a server":    {store.PromptQuery{Server: "/s", Session: "api"}, []int{2, 0}, 2},
		"of another":     {store.PromptQuery{Server: "/other"}, []int{}, 0},
		"but a session":  {store.PromptQuery{Except: []string{"api", "docs"}}, []int{1}, 1},
		"of a pane":      {store.PromptQuery{Panes: []string{"web.1", "cc_7"}}, []int{1}, 1},
		"of a kind":      {store.PromptQuery{Kinds: []core.Kind{"codex"}}, []int{1}, 1},
		"since":          {store.PromptQuery{Since: noon.Add(time.Minute)}, []int{2, 1}, 2},
		"the last":       {store.PromptQuery{Last: 1}, []int{2}, 1},
		"a page":         {store.PromptQuery{Limit: 1, Offset: 1}, []int{1}, 3},
		"by a prompt id": {store.PromptQuery{ID: "x"}, []int{}, 0},
	} {
		got, err := store.DecisionsIn(s).Find(t.Context(), test.query)
		want := []core.Decision{}
		for _, i := range test.want {
			want = append(want, all[i])
		}
		if err != nil || got.Total != test.total || !cmp.Equal(got.Decisions, want) {
			t.Errorf("%s: %d, %v\n%s", name, got.Total, err, cmp.Diff(want, got.Decisions))
		}
	}
}

func TestOldAnswersAreRemoved(t *testing.T) {
	s := open(t, storePath(t), store.Options{
		Keep: store.Retention{Age: time.Hour, Prompts: 1},
		Now:  func() time.Time { return noon.Add(2 * time.Hour) },
	})
	for _, minute := range []int{0, 90, 100} {
		if err := store.DecisionsIn(s).Save(t.Context(), anAnswer(minute, "api", "cc_1")); err != nil {
			t.Fatal(err)
		}
	}
	if removed, err := s.Prune(t.Context()); removed != 2 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	if got, err := store.DecisionsIn(s).Find(t.Context(), store.PromptQuery{}); err != nil || got.Total != 1 ||
		!got.Decisions[0].At.Equal(noon.Add(100*time.Minute)) {
		t.Errorf("%+v, %v", got, err)
	}
}

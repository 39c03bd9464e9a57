package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/record/store"
)

func TestQueuedPromptsKeepTheirOrder(t *testing.T) {
	path := storePath(t)
	q := store.QueueIn(open(t, path, store.Options{}))
	prompt := func(id string) core.QueuedPrompt {
		return core.QueuedPrompt{
			ID: id, PaneRef: core.PaneRef{Session: "api", Ordinal: 1, Pane: "%1", Agent: "cc_1", Kind: "claude"},
			At: noon, Origin: "send", Text: "text " + id, Command: true, Outcome: core.Refused, Why: "draft",
			Evidence: []string{"the user typed"}, Sent: "s" + id,
		}
	}
	change := func(owner string, change func([]core.QueuedPrompt) ([]core.QueuedPrompt, error)) error {
		return q.Change(t.Context(), "/s", owner, change)
	}
	put := func(ids ...string) func([]core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		return func([]core.QueuedPrompt) (all []core.QueuedPrompt, _ error) {
			for _, id := range ids {
				one := prompt(id)
				one.Owner = "b"
				all = append(all, one)
			}
			return all, nil
		}
	}
	if err := errors.Join(change("b", put("z", "a", "m")), change("b", put("m", "z", "a"))); err != nil {
		t.Fatal(err)
	}
	ids := func(server string) (ids []string) {
		all, err := store.QueueIn(reader(t, path)).All(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			ids = append(ids, all[i].Owner+all[i].ID)
			want := prompt(all[i].ID)
			want.Owner, want.Position = all[i].Owner, all[i].Position
			if diff := cmp.Diff(want, all[i]); diff != "" {
				t.Error(diff)
			}
		}
		return ids
	}
	if got := ids("/s"); !slices.Equal(got, []string{"bm", "bz", "ba"}) || len(ids("/other")) > 0 {
		t.Errorf("got %q", got)
	}
	refusal := errors.New("no")
	err := change("b", func([]core.QueuedPrompt) ([]core.QueuedPrompt, error) { return nil, refusal })
	if !errors.Is(err, refusal) || len(ids("/s")) != 3 {
		t.Errorf("%v, %q", err, ids("/s"))
	}
	err = change("b", func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		all[1].Owner = "a"
		return all, nil
	})
	if got := ids("/s"); err != nil || !slices.Equal(got, []string{"az", "bm", "ba"}) {
		t.Errorf("after a move to another owner: %q, %v", got, err)
	}
}

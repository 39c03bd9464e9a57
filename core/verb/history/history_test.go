package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestHistorySaysWhichPromptsWentToAnEarlierSession(t *testing.T) {
	for age, want := range map[time.Duration]string{
		time.Minute: "",
		2 * time.Hour: "those from before 2026-01-31T11:00:00Z went to an earlier session named api; " +
			"--since=2026-01-31T11:00:00Z leaves them out",
	} {
		path := filepath.Join(t.TempDir(), "cupola.db")
		records, err := store.Open(t.Context(), path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		to := core.Delivery{PaneRef: core.PaneRef{Session: "api", Pane: "%1"}}
		prompt := core.Prompt{
			ID: "one", At: verbtest.Noon.Add(-age), Server: "/s", Session: "api", Text: "hello",
			Deliveries: []core.Delivery{to},
		}
		if err := errors.Join(store.PromptsIn(records).Save(t.Context(), prompt), records.Close()); err != nil {
			t.Fatal(err)
		}
		env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
		env.OpenStore = func(ctx context.Context) (*store.Store, error) {
			return store.OpenReadOnly(ctx, path, store.Options{})
		}
		var in PromptsIn
		in.Session, in.Limit = "api", 10
		reply, err := history.Call(t.Context(), env, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if reply.Hints != nil {
			got = strings.Join(reply.Hints.Warnings, "; ")
		}
		if got != want {
			t.Errorf("a prompt of %s ago: %q, want %q", age, got, want)
		}
	}
}

func TestHistoryPagesReachAllAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cupola.db")
	records, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PromptsIn(records).Save(t.Context(),
		core.Prompt{ID: "one", At: verbtest.Noon, Server: "/s", Session: "api", Text: "go on"}); err != nil {
		t.Fatal(err)
	}
	const answers = 5
	for i := range answers {
		decision := core.Decision{At: verbtest.Noon, Server: "/s", Asks: fmt.Sprint(i)}
		decision.Session = "api"
		if err := store.DecisionsIn(records).Save(t.Context(), decision); err != nil {
			t.Fatal(err)
		}
	}
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
	env.OpenStore = func(ctx context.Context) (*store.Store, error) {
		return store.OpenReadOnly(ctx, path, store.Options{})
	}
	seen, pages := map[string]bool{}, 0
	for in := (PromptsIn{Page: registry.Page{Limit: 2}}); ; pages++ {
		reply, err := history.Call(t.Context(), env, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := reply.Value.(PromptsOut)
		for _, given := range out.Answers {
			if seen[given.Asks] {
				t.Errorf("the page at %d shows answer %s again", in.Offset, given.Asks)
			}
			seen[given.Asks] = true
		}
		if reply.Hints.NextOffset == nil {
			break
		}
		if next := fmt.Sprint(*reply.Hints.NextOffset); next != out.Pagination.NextCursor || pages > answers {
			t.Fatalf("behind %d comes %s, and %s as well", in.Offset, out.Pagination.NextCursor, next)
		}
		if left := *reply.Hints.PagesRemaining; left != 2-pages {
			t.Errorf("at %d there are %d pages left", in.Offset, left)
		}
		in.Offset = *reply.Hints.NextOffset
	}
	if len(seen) != answers {
		t.Errorf("%d of %d answers were shown", len(seen), answers)
	}
}

package records

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/config"
	"cupola/core/run"
	"cupola/core/run/crew/orchestrator"
)

// Every kind of run says when it needs the user, has failed or was cut off; a finished one is reported for a while.
func TestRunsOfAllKindsRaiseAlerts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, kind := range run.Kinds() {
		types, known := runAlerts[kind]
		if !known {
			t.Errorf("a %s raises no alerts", kind)
		}
		for _, c := range []struct {
			name string
			head run.Head
			what core.AlertType
			says string
		}{
			{"failed", run.Head{State: run.Failed, Error: "429", Ended: now}, types.failed, "c1 of x failed: 429"},
			{"needs you", run.Head{State: run.NeedsYou, Needs: "more turns", Ended: now}, types.needsYou, "more turns"},
			{"cut off", run.Head{State: run.Interrupted, PID: 7}, types.failed, "was cut off"},
			{"done", run.Head{State: run.Done, Ended: now}, types.ended, "is done"},
			{"done long ago", run.Head{State: run.Done, Ended: now.Add(-2 * endedFor)}, "", ""},
			{"works", run.Head{State: run.Running}, "", ""},
			{"pending", run.Head{State: run.Pending}, "", ""},
			{"paused", run.Head{State: run.Paused}, "", ""},
			{"cancelled", run.Head{State: run.Cancelled, Ended: now}, "", ""},
		} {
			c.head.ID, c.head.Name, c.head.Kind = "c1", "x", kind
			notice, is := noticeOf(&run.Row{Head: c.head, Changed: now}, now)
			if is != (c.what != "") || is && (notice.Type != c.what || notice.Subject != string(kind)+"/c1" ||
				!strings.Contains(notice.Message, c.says)) {
				t.Errorf("%s %s: %v, %+v", kind, c.name, is, notice)
			}
		}
	}
}

func TestABackendFailsUntilItAnswers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	relay := func(backend string, state run.State, ago time.Duration) run.Row {
		return run.Row{Head: run.Head{
			Kind: run.Relay, Backend: backend, State: state, Error: "no", Ended: now.Add(-ago),
		}}
	}
	rows := []run.Row{
		relay("claude", run.Failed, time.Minute), relay("codex", run.Done, time.Minute),
		relay("gemini", run.Failed, 2*time.Hour), relay("claude", run.Cancelled, 2*time.Minute),
		relay("claude", run.Failed, 3*time.Minute), relay("codex", run.Failed, 3*time.Minute),
		relay("claude", run.Done, 4*time.Minute), relay("claude", run.Failed, 5*time.Minute),
		{Head: run.Head{Kind: run.Crew, ID: "c1"}},
	}
	others, all := relaysFailed(rows, now)
	if len(others) != 1 || others[0].ID != "c1" {
		t.Errorf("other kinds: %+v", others)
	}
	if len(all) != 1 || all[0].Subject != "relay/claude" ||
		all[0].Message != "a relay to claude failed: no (2 relays have failed)" {
		t.Errorf("%+v", all)
	}
}

// crews is a source of crews with one that runs.
type crews struct {
	budget orchestrator.Directory
}

func (c crews) Of() run.Kind            { return run.Crew }
func (c crews) Folder(id string) string { return c.budget.Folder(id) }
func (c crews) Held(id string) bool     { return c.budget.Running(id) }
func (c crews) Row(context.Context, string) (*run.Row, error) {
	return nil, os.ErrNotExist
}
func (c crews) Rows(context.Context) ([]run.Row, error) { return nil, nil }

func TestACrewWithALongAnswerIsNotStalled(t *testing.T) {
	t.Parallel()
	paths := config.Paths{State: t.TempDir()}
	budget := orchestrator.Directory{Dir: paths.Crews()}
	hold(t, filepath.Join(budget.Folder("c1"), "lock"))
	index := run.NewIndex(t.Context(), filepath.Join(paths.State, "runs.db"), nil, nil, crews{budget})
	t.Cleanup(func() { _ = index.Close() })
	index.Put(&run.Row{
		Head:   run.Head{ID: "c1", Kind: run.Crew, State: run.Running, Started: time.Now()},
		Record: []byte("{}"),
	})
	tell := Runs(paths, index)
	stalled := func(all []alert.Notice) bool {
		return slices.ContainsFunc(all, func(n alert.Notice) bool { return n.Type == core.AlertCrewStalled })
	}
	all, err := tell(t.Context())
	if err != nil || stalled(all) {
		t.Errorf("one that has just started: %+v, %v", all, err)
	}
	rows, _, err := index.List(run.Filter{Lately: time.Now()})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if _, is := noticeOf(&rows[0], time.Now().Add(2*crewStalled)); !is {
		t.Error("one in which nothing happens is not stalled")
	}
	events := filepath.Join(budget.Relays("c1"), "r1", "events.ndjson")
	if err := os.MkdirAll(filepath.Dir(events), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(events, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows[0].Changed = heardSince(budget, &rows[0])
	if _, is := noticeOf(&rows[0], time.Now().Add(crewStalled/2)); is {
		t.Error("one whose agent writes is stalled")
	}
}

// hold makes this process seem to run what a lock belongs to.
func hold(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(path)
	if taken, err := lock.TryLock(); err != nil || !taken {
		t.Fatal(taken, err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
}

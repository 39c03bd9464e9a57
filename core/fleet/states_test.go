package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
)

func TestEveryStateOfATurnIsAnEvent(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.4")
	r := subscribed(t, s.Fleet, keeper.Interest{Watched: true})
	if first := r.next(); first.Snapshot.Session("api").Panes[1].Status.State != core.Idle {
		t.Fatalf("at first: %+v", first.Snapshot.Session("api").Panes[1].Status)
	}
	began := time.Now()
	leads := func(to core.State, want string) core.Event {
		t.Helper()
		passed, e := r.states(to)
		if !slices.Equal(passed, []string{want}) || e.Pane != "api.1" || e.Agent != "scr_1" {
			t.Errorf("%q, not %s: %+v", passed, want, e)
		}
		return e
	}
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	leads(core.Working, "idle>working")
	s.userPresses(t, "Escape")
	leads(core.Idle, "working>idle")
	s.must(t, core.Delivered, deliver.Request{Text: "approve slow 600"})
	// How long it thinks before it asks may be too short to be seen.
	_, e := r.states(core.Waiting)
	if e.Reason != core.ReasonApproval {
		t.Errorf("%+v", e)
	}
	waits := e.At
	s.userPresses(t, "Enter")
	leads(core.Working, "waiting>working")
	s.userPresses(t, "Escape")
	if e := leads(core.Idle, "working>idle"); !e.At.After(waits) {
		t.Errorf("it waited at %v: %+v", waits, e)
	}
	calm := s.until(t, func(snapshot *core.Snapshot) bool {
		status := snapshot.Session("api").Panes[1].Status
		return status.State == core.Idle && !status.Since.IsZero()
	}).Session("api").Panes[1].Status
	if calm.Since.Before(waits) || calm.Since.Before(began) || calm.Since.After(time.Now()) {
		t.Errorf("a single observation reports idle since %v; it waited at %v", calm.Since, waits)
	}
}

func TestAStateOutlivesItsKeeper(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.1")
	r := subscribed(t, s.Fleet, keeper.Interest{Watched: true})
	r.next()
	began := time.Now().Truncate(time.Millisecond)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 5 approve tool ls"})
	_, e := r.states(core.Waiting)
	r.end()
	again := subscribed(t, s.Fleet, keeper.Interest{})
	status := again.next().Snapshot.Session("api").Panes[1].Status
	if status.State != core.Waiting || status.Since.Before(began) || status.Since.After(e.At) {
		t.Errorf("%+v; it began at %v, and the event was at %v", status, began, e.At)
	}
}

// watchful counts the screens that a stage was asked for.
type watchful struct {
	*fleettest.FeedEngine
	asked []core.PaneID
}

func (w *watchful) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	for _, ask := range asks {
		w.asked = append(w.asked, ask.Pane)
	}
	return w.FeedEngine.Capture(ctx, asks...)
}

// agents is a listing of agents of the kind scripted that started long ago.
func agents(names ...string) engine.Listing {
	l := fleettest.Listing(names...)
	for i := range l.Panes {
		l.Panes[i].Process.Command = "cupola"
		l.Panes[i].Tags = map[string]string{
			engine.TagKind: "scripted", engine.TagRole: "agent", engine.TagName: fmt.Sprintf("scr_%d", i+1),
			engine.TagOrdinal: "1",
		}
	}
	return l
}

func TestOnlyWhatChangedIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := &watchful{FeedEngine: &fleettest.FeedEngine{Screen: "x"}}
	f := fleet.Open(fleet.Options{
		Engine: w, Kinds: fleettest.BuiltinKinds(t),
		Now: func() time.Time { return fleettest.Noon },
	})
	m := observe.NewTracker(true)
	l := agents("a", "b", "c")
	update := func(change engine.Change) []core.PaneID {
		t.Helper()
		w.asked = nil
		change.Listing = l
		if _, err := f.Observer.Update(t.Context(), &change, m); err != nil {
			t.Fatal(err)
		}
		return w.asked
	}
	a, b := l.Panes[0].ID, l.Panes[1].ID
	if got := update(engine.Change{}); len(got) != 3 {
		t.Errorf("first: %v", got)
	}
	if got := update(engine.Change{Structural: true}); len(got) != 0 {
		t.Errorf("nothing changed: %v", got)
	}
	if got := update(engine.Change{Dirty: []core.PaneID{b}}); !slices.Equal(got, []core.PaneID{b}) {
		t.Errorf("dirty: %v", got)
	}
	m.Hooked(a, hookEdge(core.Working))
	if got := update(engine.Change{}); !slices.Equal(got, []core.PaneID{a}) {
		t.Errorf("a hook reported: %v", got)
	}
	l.Panes[0].Process.PID++
	if got := update(engine.Change{Structural: true}); !slices.Equal(got, []core.PaneID{a}) {
		t.Errorf("another program: %v", got)
	}
	w.CaptureErr = context.DeadlineExceeded
	if _, err := f.Observer.Update(t.Context(), &engine.Change{Listing: l, Dirty: []core.PaneID{b}}, m); err == nil {
		t.Fatal("no error")
	}
	w.CaptureErr = nil
	if got := update(engine.Change{}); !slices.Equal(got, []core.PaneID{b}) {
		t.Errorf("what could not be read is read the next time: %v", got)
	}
}

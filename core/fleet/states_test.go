package fleet

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// states reads events until an agent comes into a state, and returns the states
// that the events on the way led from and to.
func (r *reader) states(last core.State) (passed []string, final core.Event) {
	r.t.Helper()
	for {
		e := r.next()
		if e.Type != core.StateChanged || e.From == e.To {
			continue
		}
		passed = append(passed, e.From+">"+e.To)
		if e.To == string(last) {
			return passed, e
		}
	}
}

func TestEveryStateOfATurnIsAnEvent(t *testing.T) {
	s := play(t, 1, "--speed", "0.4")
	r := subscribed(t, s.Fleet, Interest{Watched: true})
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
	s.must(t, Delivered, SendRequest{Text: "slow 600"})
	leads(core.Working, "idle>working")
	s.somebodyPresses(t, "Escape")
	leads(core.Idle, "working>idle")
	s.must(t, Delivered, SendRequest{Text: "approve slow 600"})
	// How long it thinks before it asks may be too short to be seen.
	_, e := r.states(core.Waiting)
	if e.Reason != core.ReasonApproval {
		t.Errorf("%+v", e)
	}
	waits := e.At
	s.somebodyPresses(t, "Enter")
	leads(core.Working, "waiting>working")
	s.somebodyPresses(t, "Escape")
	if e := leads(core.Idle, "working>idle"); !e.At.After(waits) {
		t.Errorf("it waited at %v: %+v", waits, e)
	}
	calm := s.until(t, func(picture *core.Snapshot) bool {
		status := picture.Session("api").Panes[1].Status
		return status.State == core.Idle && !status.Since.IsZero()
	}).Session("api").Panes[1].Status
	if calm.Since.Before(waits) || calm.Since.Before(began) || calm.Since.After(time.Now()) {
		t.Errorf("whoever looks once is told that it is idle since %v; it waited at %v", calm.Since, waits)
	}
}

func TestAStateOutlivesItsKeeper(t *testing.T) {
	s := play(t, 1, "--speed", "0.1")
	r := subscribed(t, s.Fleet, Interest{Watched: true})
	r.next()
	began := time.Now().Truncate(time.Millisecond)
	s.must(t, Delivered, SendRequest{Text: "slow 5 approve tool ls"})
	_, e := r.states(core.Waiting)
	r.end()
	again := subscribed(t, s.Fleet, Interest{})
	status := again.next().Snapshot.Session("api").Panes[1].Status
	if status.State != core.Waiting || status.Since.Before(began) || status.Since.After(e.At) {
		t.Errorf("%+v; it began at %v, and the event was at %v", status, began, e.At)
	}
}

// watchful counts the screens that a stage was asked for.
type watchful struct {
	*stage
	asked []core.PaneID
}

func (w *watchful) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	for _, ask := range asks {
		w.asked = append(w.asked, ask.Pane)
	}
	return w.stage.Capture(ctx, asks...)
}

// agents is a listing of agents of the kind scripted that started long ago.
func agents(names ...string) engine.Listing {
	l := listing(names...)
	for i := range l.Panes {
		l.Panes[i].Process.Command = "cupola"
		l.Panes[i].Tags = map[string]string{
			engine.TagKind: "scripted", engine.TagRole: "agent", engine.TagName: fmt.Sprintf("scr_%d", i+1), engine.TagOrdinal: "1",
		}
	}
	return l
}

func TestOnlyWhatChangedIsLookedAtAgain(t *testing.T) {
	w := &watchful{stage: &stage{screen: "x"}}
	f := Open(Options{Engine: w, Kinds: kindsFor(t), Now: func() time.Time { return noon }})
	m := newMemory(true)
	l := agents("a", "b", "c")
	look := func(change engine.Change) []core.PaneID {
		t.Helper()
		w.asked = nil
		change.Listing = l
		if _, err := f.picture(t.Context(), &change, m, ""); err != nil {
			t.Fatal(err)
		}
		return w.asked
	}
	a, b := l.Panes[0].ID, l.Panes[1].ID
	if got := look(engine.Change{}); len(got) != 3 {
		t.Errorf("first: %v", got)
	}
	if got := look(engine.Change{Structural: true}); len(got) != 0 {
		t.Errorf("nothing changed: %v", got)
	}
	if got := look(engine.Change{Dirty: []core.PaneID{b}}); !slices.Equal(got, []core.PaneID{b}) {
		t.Errorf("dirty: %v", got)
	}
	m.hooked(a, hookOf(core.Working))
	if got := look(engine.Change{}); !slices.Equal(got, []core.PaneID{a}) {
		t.Errorf("a hook reported: %v", got)
	}
	l.Panes[0].Process.PID++
	if got := look(engine.Change{Structural: true}); !slices.Equal(got, []core.PaneID{a}) {
		t.Errorf("another program: %v", got)
	}
	w.broken = context.DeadlineExceeded
	if _, err := f.picture(t.Context(), &engine.Change{Listing: l, Dirty: []core.PaneID{b}}, m, ""); err == nil {
		t.Fatal("no error")
	}
	w.broken = nil
	if got := look(engine.Change{}); !slices.Equal(got, []core.PaneID{b}) {
		t.Errorf("what could not be read is read the next time: %v", got)
	}
}

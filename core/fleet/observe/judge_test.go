package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
)

// askedEngine keeps each question for screens. overlaps is its answer to Overlaps; the pane gone is gone before it is
// captured.
type askedEngine struct {
	*fleettest.FeedEngine
	overlaps bool
	gone     core.PaneID

	asking sync.Mutex
	asked  [][]engine.Ask
}

func (c *askedEngine) Overlaps() bool { return c.overlaps }

func (c *askedEngine) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	c.asking.Lock()
	c.asked = append(c.asked, asks)
	c.asking.Unlock()
	screens, err := c.FeedEngine.Capture(ctx, asks...)
	return slices.DeleteFunc(screens, func(s core.Screen) bool { return s.Pane == c.gone }), err
}

// packed is a listing of sessions with as many agents each.
func packed(sessions, each int) engine.Listing {
	var l engine.Listing
	for s := range sessions {
		id := core.SessionID(fmt.Sprintf("$%d", s))
		l.Sessions = append(l.Sessions, engine.Session{ID: id, Name: fmt.Sprintf("s%d", s), Created: fleettest.Dawn})
		for range each {
			one := fleettest.Row(string(id), fmt.Sprintf("%%%d", len(l.Panes)), "cupola",
				engine.TagKind, "scripted", engine.TagRole, panetag.RoleAgent, engine.TagName, "scr_1",
				engine.TagOrdinal, fmt.Sprint(len(l.Panes)%each))
			one.Window, one.Process.PID = core.Window{ID: "@20"}, 1<<22+len(l.Panes)
			l.Panes = append(l.Panes, one)
		}
	}
	return l
}

func TestManyScreensAreAskedForInPartsWhereThatIsSooner(t *testing.T) {
	for _, c := range []struct {
		sessions, each int
		overlaps       bool
		want           int
	}{
		{10, 10, true, 4}, {10, 10, false, 1}, {1, 100, true, 1}, {100, 1, true, 4}, {2, 11, true, 1}, {3, 8, true, 2},
	} {
		engine := &askedEngine{FeedEngine: &fleettest.FeedEngine{Screen: "x"}, overlaps: c.overlaps}
		_, err := observerOf(t, engine).Update(t.Context(), changeOf(packed(c.sessions, c.each)), NewTracker(false))
		if err != nil || len(engine.asked) != c.want {
			t.Errorf("%+v: %d questions, %v", c, len(engine.asked), err)
		}
		part := map[core.SessionID]int{}
		panes := map[core.PaneID]bool{}
		for i, asks := range engine.asked {
			for _, ask := range asks {
				if before, seen := part[ask.Session]; seen && before != i || ask.Session == "" {
					t.Errorf("%+v: session %q is in several questions, or not named", c, ask.Session)
				}
				part[ask.Session], panes[ask.Pane] = i, true
			}
		}
		if len(panes) != c.sessions*c.each {
			t.Errorf("%+v: %d panes were asked about", c, len(panes))
		}
	}
}

func TestEveryPartOfASnapshotIsJudged(t *testing.T) {
	const gone = "%57"
	all := &askedEngine{FeedEngine: &fleettest.FeedEngine{Screen: "x"}}
	parts := &askedEngine{FeedEngine: &fleettest.FeedEngine{Screen: "x"}, overlaps: true, gone: gone}
	statuses := func(c *askedEngine, m *Tracker) map[core.PaneID]core.Status {
		snapshot, err := observerOf(t, c).Update(t.Context(), changeOf(packed(10, 10)), m)
		if err != nil {
			t.Fatal(err)
		}
		found := map[core.PaneID]core.Status{}
		for _, pane := range snapshot.Panes() {
			found[pane.ID] = pane.Status
		}
		return found
	}
	m := NewTracker(false)
	want, got := statuses(all, NewTracker(false)), statuses(parts, m)
	for id, status := range want {
		if same := got[id].State == status.State &&
			slices.Equal(got[id].Evidence, status.Evidence); same == (id == gone) {
			t.Errorf("%s: %+v in parts, %+v at once", id, got[id], status)
		}
	}
	if _, known := m.panes[gone]; known || len(m.panes) != 99 {
		t.Errorf("%d panes are remembered; the one that is gone: %v", len(m.panes), known)
	}
	parts.CaptureErr = context.DeadlineExceeded
	change := changeOf(packed(10, 10))
	if _, err := observerOf(t, parts).Update(t.Context(), change, NewTracker(false)); err == nil {
		t.Error("no error where screens cannot be read")
	}
}

func changeOf(l engine.Listing) *engine.Change { return &engine.Change{Listing: l} }

// An agent that has rested for long is idle at once for a keeper that starts: the last output on its pane is from
// before.
func TestIdleScreenIsNotAwaitedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		printed time.Time
		want    core.State
	}{
		"it printed long ago":     {fleettest.Noon.Add(-5 * time.Second), core.Idle},
		"it printed a moment ago": {fleettest.Noon.Add(-time.Second), core.Working},
		"activity unknown":        {time.Time{}, core.Working},
	} {
		a := fleettest.NewScriptedEngine()
		a.Listing.Panes[0].Tags[engine.TagState] = "working - 1"
		a.Listing.Panes[0].Activity = c.printed
		snapshot, err := observerOf(t, a).Update(t.Context(), changeOf(a.Listing), NewTracker(true))
		if err != nil {
			t.Fatal(err)
		}
		if got := snapshot.Panes()[0].Status; got.State != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

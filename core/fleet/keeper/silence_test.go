package keeper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

func TestAServerThatDoesNotAnswerKeepsItsLastSnapshot(t *testing.T) {
	h := houseWith(t, "a", "b")
	r := h.seated(t, h.member(t, Interest{}))
	first := r.until(core.Resynced)
	snapshot := first[len(first)-1].Snapshot
	h.GoSilent(fleettest.Noon)
	h.GoSilent(fleettest.Noon)
	e := r.next()
	if e.Type != core.EngineSilent || e.Message == "" {
		t.Fatalf("told is %+v", e)
	}
	late := subscribed(t, h.open(t), Interest{})
	seen := late.until(core.Resynced)
	if last := seen[len(seen)-1].Snapshot; !last.EngineUp || !last.SilentSince.Equal(fleettest.Noon) ||
		sessionNames(last) != sessionNames(snapshot) {
		t.Errorf("who comes later sees %+v", last)
	}
	h.Show("a", "b")
	if e := r.next(); e.Type != core.EngineAnswered {
		t.Errorf("it is told again, or wrongly: %+v", e)
	}
	h.Show("a", "b", "c")
	if events := r.until(core.PaneOpened); len(events) != 2 || events[0].Type != core.SessionCreated {
		t.Errorf("after it answered: %q", fleettest.EventLines(events))
	}
	h.GoSilent(fleettest.Noon)
	r.until(core.EngineSilent)
	h.Emit(engine.Change{Lost: engine.ErrNoServer})
	if events := r.until(core.EngineLost); len(events) != 1 {
		t.Errorf("a server that ended while it did not answer: %q", fleettest.EventLines(events))
	}
}

func TestTheNextKeeperTakesOverWhileTheServerDoesNotAnswer(t *testing.T) {
	h := houseWith(t, "a")
	r := h.seated(t, h.member(t, Interest{}))
	r.until(core.Resynced)
	r.end()
	h.GoSilent(fleettest.Noon)
	next := h.seated(t, h.member(t, Interest{}))
	events := next.until(core.Resynced)
	if last := events[len(events)-1].Snapshot; last.SilentSince.IsZero() || len(last.Sessions) != 1 {
		t.Fatalf("it begins with %+v", last)
	}
	h.Show("a")
	if e := next.next(); e.Type != core.EngineAnswered {
		t.Errorf("then comes %+v", e)
	}
}

func TestASnapshotThatWaitsForAnAnswerSaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		s.Change = engine.Change{Listing: starting(), Dirty: []core.PaneID{starting().Panes[0].ID}}
		r := subscribed(t, f, Interest{})
		r.next()
		s.Mu.Lock()
		s.CaptureErr = engine.ErrSilent
		s.Mu.Unlock()
		s.Emit(s.Change)
		if e := r.next(); e.Type != core.EngineSilent {
			t.Fatalf("told is %+v", e)
		}
		s.Mu.Lock()
		s.CaptureErr = nil
		s.Mu.Unlock()
		if e := r.next(); e.Type != core.EngineAnswered {
			t.Errorf("then %+v", e)
		}
		r.end()
	})
}

func TestNoAlertIsRaisedOrEndedWhileTheServerDoesNotAnswer(t *testing.T) {
	w := newAlertTracker(alert.Defaults())
	before := fleettest.WaitingSnapshot()
	if changes := w.update(nil, before, nil, fleettest.Noon); len(changes) != 1 {
		t.Fatalf("raised: %+v", changes)
	}
	for round := range 10 {
		at := fleettest.Noon.Add(time.Duration(round) * time.Minute)
		quiet := silentSnapshot(before, at, "")
		if changes := w.update(before, quiet, nil, at); len(changes) != 0 || len(quiet.Alerts) != 1 {
			t.Errorf("while it does not answer: %+v, open %+v", changes, quiet.Alerts)
		}
		after := fleettest.WaitingSnapshot()
		changes := w.update(quiet, after, nil, at)
		changes = slices.DeleteFunc(changes, func(c alert.Change) bool { return c.Escalated })
		if len(changes) != 0 || len(after.Alerts) != 1 || after.Alerts[0].Count != 1 {
			t.Errorf("after it answered: %+v, open %+v", changes, after.Alerts)
		}
		before = after
	}
	next := newAlertTracker(alert.Defaults())
	quiet := silentSnapshot(before, fleettest.Noon, "")
	next.update(before, quiet, nil, fleettest.Noon)
	if changes := next.update(quiet, fleettest.WaitingSnapshot(), nil, fleettest.Noon); len(changes) != 0 {
		t.Errorf("the next keeper raises %+v", changes)
	}
}

// If a server lives and cannot be reached, the reason is reported, and is an alert until the server answers.
func TestAKnownReasonOfSilenceIsReportedAndAnAlert(t *testing.T) {
	h := houseWith(t, "a")
	r := h.seated(t, h.member(t, Interest{}))
	r.until(core.Resynced)
	h.GoSilent(fleettest.Noon)
	r.until(core.EngineSilent)
	h.Emit(engine.Change{Silent: &engine.HiddenError{PID: 7, Socket: "/s"}})
	raised := r.until(core.AlertRaised)
	if a := raised[len(raised)-1].Alert; a.Type != core.AlertEngineSilent || a.Severity != core.SeverityCritical ||
		!strings.Contains(a.Message, "process 7 lives") {
		t.Errorf("raised: %+v", a)
	}
	h.Emit(engine.Change{Silent: fmt.Errorf("%w: none can be started (no memory)", engine.ErrBusy)})
	raised = r.until(core.AlertRaised)
	if a := raised[len(raised)-1].Alert; a.Count != 2 || !strings.Contains(a.Message, "no memory") {
		t.Errorf("another reason: %+v", a)
	}
	h.Show("a")
	resolved := r.until(core.AlertResolved)
	if a := resolved[len(resolved)-1].Alert; a.Type != core.AlertEngineSilent {
		t.Errorf("resolved: %+v", a)
	}
	since := engine.Listing{Taken: fleettest.Noon}
	h.Emit(engine.Change{Listing: since, Silent: &engine.HiddenError{PID: 7, Socket: "/s"}})
	if silent := r.until(core.EngineSilent); !strings.Contains(silent[len(silent)-1].Message, "process 7 lives") {
		t.Errorf("the event: %+v", silent)
	}
}

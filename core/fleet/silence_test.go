package fleet

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
)

// mute plays a server that has not answered since a moment.
func (s *stage) mute(since time.Time) {
	s.play(engine.Change{Listing: engine.Listing{Taken: since}, Silent: engine.ErrSilent})
}

func TestAServerThatDoesNotAnswerKeepsItsLastPicture(t *testing.T) {
	h := houseWith(t, "a", "b")
	r := h.seated(t, h.member(t, Interest{}))
	first := r.until(core.Resynced)
	picture := first[len(first)-1].Snapshot
	h.mute(noon)
	h.mute(noon)
	e := r.next()
	if e.Type != core.EngineSilent || e.Message == "" {
		t.Fatalf("told is %+v", e)
	}
	late := subscribed(t, h.open(t), Interest{})
	seen := late.until(core.Resynced)
	if last := seen[len(seen)-1].Snapshot; !last.EngineUp || !last.SilentSince.Equal(noon) || sessionNames(last) != sessionNames(picture) {
		t.Errorf("who comes later sees %+v", last)
	}
	h.show("a", "b")
	if e := r.next(); e.Type != core.EngineAnswered {
		t.Errorf("it is told again, or wrongly: %+v", e)
	}
	h.show("a", "b", "c")
	if events := r.until(core.PaneOpened); len(events) != 2 || events[0].Type != core.SessionCreated {
		t.Errorf("after it answered: %q", told(events))
	}
	h.mute(noon)
	r.until(core.EngineSilent)
	h.play(engine.Change{Lost: engine.ErrNoServer})
	if events := r.until(core.EngineLost); len(events) != 1 {
		t.Errorf("a server that ended while it did not answer: %q", told(events))
	}
}

func TestTheNextKeeperTakesOverWhileTheServerDoesNotAnswer(t *testing.T) {
	h := houseWith(t, "a")
	r := h.seated(t, h.member(t, Interest{}))
	r.until(core.Resynced)
	r.end()
	h.mute(noon)
	next := h.seated(t, h.member(t, Interest{}))
	events := next.until(core.Resynced)
	if last := events[len(events)-1].Snapshot; last.SilentSince.IsZero() || len(last.Sessions) != 1 {
		t.Fatalf("it begins with %+v", last)
	}
	h.show("a")
	if e := next.next(); e.Type != core.EngineAnswered {
		t.Errorf("then comes %+v", e)
	}
}

func TestAPictureThatWaitsForAnAnswerSaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T, s *stage, f *Fleet) {
		s.change = engine.Change{Listing: starting(), Dirty: []core.PaneID{starting().Panes[0].ID}}
		r := subscribed(t, f, Interest{})
		r.next()
		s.mu.Lock()
		s.broken = engine.ErrSilent
		s.mu.Unlock()
		s.play(s.change)
		if e := r.next(); e.Type != core.EngineSilent {
			t.Fatalf("told is %+v", e)
		}
		s.mu.Lock()
		s.broken = nil
		s.mu.Unlock()
		if e := r.next(); e.Type != core.EngineAnswered {
			t.Errorf("then %+v", e)
		}
		r.end()
	})
}

func TestNoAlertIsRaisedOrEndedWhileTheServerDoesNotAnswer(t *testing.T) {
	w := newWarden(alert.Defaults())
	before := aWaiting()
	if changes := w.take(nil, before, nil, noon); len(changes) != 1 {
		t.Fatalf("raised: %+v", changes)
	}
	for round := range 10 {
		at := noon.Add(time.Duration(round) * time.Minute)
		quiet := unanswered(before, at)
		if changes := w.take(before, quiet, nil, at); len(changes) != 0 || len(quiet.Alerts) != 1 {
			t.Errorf("while it does not answer: %+v, open %+v", changes, quiet.Alerts)
		}
		after := aWaiting()
		changes := w.take(quiet, after, nil, at)
		changes = slices.DeleteFunc(changes, func(c alert.Change) bool { return c.Escalated })
		if len(changes) != 0 || len(after.Alerts) != 1 || after.Alerts[0].Count != 1 {
			t.Errorf("after it answered: %+v, open %+v", changes, after.Alerts)
		}
		before = after
	}
	next := newWarden(alert.Defaults())
	quiet := unanswered(before, noon)
	next.take(before, quiet, nil, noon)
	if changes := next.take(quiet, aWaiting(), nil, noon); len(changes) != 0 {
		t.Errorf("the next keeper raises %+v", changes)
	}
}

func TestAServerThatDoesNotAnswerIsUnavailableForNow(t *testing.T) {
	err := translate("status", errors.Join(errors.New("list"), engine.ErrSilent))
	known := core.AsError(err)
	if known.Code != core.EngineUnavailable || known.Hint == "" || known.Details != (unavailable{"not_answering"}) || !NotAnswering(err) {
		t.Errorf("got %+v", known)
	}
	if NotAnswering(translate("status", engine.ErrUnavailable)) {
		t.Error("a missing program does not answer")
	}
}

func TestAWaitGoesOnWhileTheServerDoesNotAnswerAndSaysItOnce(t *testing.T) {
	f := Open(Options{Kinds: kindsFor(t), Now: func() time.Time { return noon }})
	var said []string
	w := &waiter{
		WaitRequest: WaitRequest{Target: Target{Session: "api"}, For: []core.State{core.Waiting}, Progress: func(p Progress) { said = append(said, p.Message) }},
		fleet:       &f.lookout, now: func() time.Time { return noon },
	}
	before := aWaiting()
	before.Panes()[0].Status = core.Status{State: core.Working}
	if err := w.begin(before); err != nil {
		t.Fatal(err)
	}
	w.panes[0].known = true
	for range 3 {
		w.take(&Frame{Snapshot: unanswered(aWaiting(), noon)})
		if done, err := w.settle(noon); done || err != nil {
			t.Errorf("what was seen before counts: %t, %v", done, err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "not answering") {
		t.Errorf("said is %q", said)
	}
	if err := w.tooLate(w.result(0)); !strings.Contains(err.Error(), "not answering") {
		t.Errorf("at the end of its time: %v", err)
	}
	w.take(&Frame{Snapshot: aWaiting()})
	if done, err := w.settle(noon); !done || err != nil {
		t.Errorf("it answers again: %t, %v", done, err)
	}
}

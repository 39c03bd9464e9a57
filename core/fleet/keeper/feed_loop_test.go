package keeper

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// inBubble runs a test in false time with streams of an engine that have no
// runtime folder.
func inBubble(t *testing.T, test func(t *testing.T, s *fleettest.FeedEngine, f *Streams)) {
	t.Helper()
	kinds := fleettest.BuiltinKinds(t)
	synctest.Test(t, func(t *testing.T) {
		s := &fleettest.FeedEngine{}
		test(t, s, openStreams(t, kinds, "", Options{Engine: s}))
	})
}

// starting is a server with one agent of the kind scripted that begins now.
func starting() engine.Listing {
	l := fleettest.Listing("a")
	l.Panes[0].Process.Command = "cupola"
	l.Panes[0].Tags = map[string]string{
		engine.TagKind: "scripted", engine.TagRole: "agent", engine.TagName: "scr_1", engine.TagOrdinal: "1",
		engine.TagStarted: strconv.FormatInt(time.Now().UnixMilli(), 10),
	}
	return l
}

func TestAStateThatOnlyTimeEndsEndsOnTime(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		began := time.Now()
		s.Change = engine.Change{Listing: starting()}
		r := subscribed(t, f, Interest{})
		first := r.next()
		if state := first.Snapshot.Sessions[0].Panes[0].Status.State; state != core.Starting {
			t.Fatalf("the agent is %s", state)
		}
		kind := f.opts.Observer.KindOf(&core.Pane{Agent: core.Agent{Kind: "scripted"}})
		var e core.Event
		select {
		case e = <-r.Events:
		case <-time.After(time.Hour):
			t.Fatal("nothing happened for an hour")
		}
		if e.Type != core.StateChanged || e.From != "starting" || e.To != "unknown" {
			t.Errorf("%s from %s to %s", e.Type, e.From, e.To)
		}
		if took := time.Since(began); took < kind.Launch.Timeout || took > kind.Launch.Timeout+10*time.Millisecond {
			t.Errorf("after %v; the start timeout is %v", took, kind.Launch.Timeout)
		}
		r.end()
	})
}

func TestAStateThatEndsWhileTheSnapshotIsMadeIsNotKept(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		kind := f.opts.Observer.KindOf(&core.Pane{Agent: core.Agent{Kind: "scripted"}})
		s.Change = engine.Change{Listing: starting()}
		m := f.newMember(rundir.Files{}, Interest{})
		made, slow := m.snapshot, kind.Launch.Timeout+time.Second
		m.snapshot = func(ctx context.Context, c *engine.Change) (*core.Snapshot, error) {
			defer func() { slow = 0 }()
			defer func() { _ = core.Sleep(t.Context(), slow) }()
			return made(ctx, c)
		}
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{subscribe(ctx, m, false), t, stop}
		// The first event has the newest snapshot, which may be the second already.
		if first := <-r.Events; first.Snapshot.Sessions[0].Panes[0].Status.State == core.Starting {
			select {
			case e := <-r.Events:
				if e.Type != core.StateChanged || e.To != string(core.Unknown) {
					t.Errorf("%s to %s", e.Type, e.To)
				}
			case <-time.After(time.Hour):
				t.Error("the agent starts for ever")
			}
		}
		r.end()
	})
}

func TestNothingIsAskedWhileNothingHappens(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		snapshots := 0
		s.Change = engine.Change{Listing: fleettest.Listing("a")}
		m := f.newMember(rundir.Files{}, Interest{})
		made := m.snapshot
		m.snapshot = func(ctx context.Context, c *engine.Change) (*core.Snapshot, error) {
			snapshots++
			return made(ctx, c)
		}
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{subscribe(ctx, m, false), t, stop}
		r.next()
		<-time.After(24 * time.Hour)
		r.end()
		if snapshots != 1 {
			t.Errorf("%d snapshots in a quiet day", snapshots)
		}
	})
}

func TestASnapshotThatFailsIsTriedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		began := time.Now()
		s.Change, s.CaptureErr = engine.Change{Listing: starting()}, errors.New("broken")
		r := subscribed(t, f, Interest{})
		synctest.Wait()
		s.Mu.Lock()
		s.CaptureErr = nil
		s.Mu.Unlock()
		if e := r.next(); e.Type != core.Resynced || time.Since(began) != retrySnapshot {
			t.Errorf("%s after %v", e.Type, time.Since(began))
		}
		r.end()
	})
}

func TestLostServerIsReportedAndFeedContinues(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		s.Change = engine.Change{Lost: engine.ErrNoServer}
		r := subscribed(t, f, Interest{})
		if e := r.next(); e.Type != core.Resynced || e.Snapshot.EngineUp || e.Snapshot.Sessions == nil {
			t.Fatalf("no server begins with %+v", e)
		}
		s.Show("a")
		got := fleettest.EventLines(r.until(core.PaneOpened))
		s.Emit(engine.Change{Lost: engine.ErrNoServer})
		got = append(got, fleettest.EventLines(r.until(core.AlertRaised))...)
		s.Show("a")
		got = append(got, fleettest.EventLines(r.until(core.PaneOpened))...)
		want := []core.EventType{
			core.EngineBack, core.SessionCreated, core.PaneOpened,
			core.EngineLost, core.PaneClosed, core.SessionClosed, core.AlertRaised,
			core.EngineBack, core.SessionCreated, core.PaneOpened,
		}
		if len(got) != len(want) {
			t.Fatalf("%q", got)
		}
		for i := range want {
			if got[i][:len(want[i])] != string(want[i]) {
				t.Errorf("event %d is %s, want %s", i, got[i], want[i])
			}
		}
		r.end()
	})
}

func TestAnAlertIsDismissedAlsoWhileTheServerIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		s.Change = engine.Change{Listing: fleettest.Listing("a")}
		m := f.newMember(rundir.Files{}, Interest{})
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{subscribe(ctx, m, false), t, stop}
		r.next()
		s.Emit(engine.Change{Lost: engine.ErrNoServer})
		r.until(core.AlertRaised)
		m.alerts.report(&wire.AlertReport{Dismiss: &alert.Selection{All: true}})
		wakeUp(m.nudges)
		if e := r.next(); e.Type != core.AlertDismissed || e.Alert.Type != core.AlertEngineLost {
			t.Errorf("%+v", e)
		}
		r.end()
	})
}

func TestReturnOfServerIsShownBriefly(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		s.Change = engine.Change{Listing: fleettest.Listing("a")}
		r := subscribed(t, f, Interest{})
		r.next()
		s.Emit(engine.Change{Lost: engine.ErrNoServer})
		r.until(core.AlertRaised)
		s.Show("a")
		if e := r.until(core.AlertRaised); e[len(e)-1].Alert.Type != core.AlertEngineBack {
			t.Fatalf("%q", fleettest.EventLines(e))
		}
		select {
		case e := <-r.Events:
			if e.Type != core.AlertResolved || e.Alert.Type != core.AlertEngineBack {
				t.Errorf("%+v", e)
			}
		case <-time.After(time.Hour):
			t.Error("it is told for ever")
		}
		r.end()
	})
}

func TestWithoutARuntimeFolderThereAreNoRevisions(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		s.Change = engine.Change{Listing: fleettest.Listing("a")}
		r := subscribed(t, f, Interest{Since: 7, Watched: true})
		e := r.next()
		if e.Type != core.Resynced || e.Revision != 0 || e.Snapshot.Revision != 0 ||
			!strings.Contains(e.Message, "since revision 7") {
			t.Errorf("%s %d %q", e.Type, e.Revision, e.Message)
		}
		if !s.Watched() {
			t.Error("the feed does not look closely")
		}
		s.Show("a", "b")
		if e := r.next(); e.Type != core.SessionCreated || e.Revision != 0 {
			t.Errorf("%s %d", e.Type, e.Revision)
		}
		r.end()
		if r.Err() != nil {
			t.Errorf("ended by its context, it says %v", r.Err())
		}
	})
}

func TestAFeedThatEndsEndsTheSubscriptionWithAnError(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		feed, end := context.WithCancel(t.Context())
		m := f.newMember(rundir.Files{}, Interest{})
		m.engine = brief{s, feed}
		r := &reader{subscribe(t.Context(), m, false), t, func() {}}
		end()
		r.end()
		if core.AsError(r.Err()) == nil || !errors.Is(r.Err(), errFeedEnded) {
			t.Errorf("it ended with %v", r.Err())
		}
	})
}

func TestForeignSessionsStayHidden(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		f.opts.HideForeign = true
		l := fleettest.Listing("a", "b")
		l.Sessions[1].Tags = map[string]string{engine.TagOrigin: panetag.OriginSpawn}
		s.Change = engine.Change{Listing: l}
		r := subscribed(t, f, Interest{})
		if got := sessionNames(r.next().Snapshot); got != "[b]" {
			t.Errorf("the snapshot shows %s", got)
		}
		s.Show("b")
		l = fleettest.Listing("b", "c", "d")
		l.Sessions[2].Tags = map[string]string{engine.TagOrigin: panetag.OriginSpawn}
		s.Emit(engine.Change{Listing: l})
		if e := r.next(); e.Session != "d" {
			t.Errorf("%s %s is seen", e.Type, e.Session)
		}
		r.end()
	})
}

// brief is an engine whose feeds end before those who asked for them want.
type brief struct {
	engine.Engine
	feed context.Context
}

func (b brief) Watch(context.Context) engine.Feed { return b.Engine.Watch(b.feed) }

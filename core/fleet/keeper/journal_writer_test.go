package keeper

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

// ledger is a journal in memory that a test can break or slow down.
type ledger struct {
	mu     sync.Mutex
	events []core.Event
	alerts map[string]core.Alert
	broken error
	slow   time.Duration
}

func (l *ledger) Happened(ctx context.Context, events []core.Event) error {
	_ = core.Sleep(ctx, l.slow)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.events = append(l.events, events...)
	}
	return l.broken
}

func (l *ledger) SaveAlerts(_ context.Context, alerts []core.Alert) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alerts == nil {
		l.alerts = map[string]core.Alert{}
	}
	for _, alert := range alerts {
		l.alerts[alert.ID] = alert
	}
	return l.broken
}

func (l *ledger) repair(broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = broken
}

func (l *ledger) recorded() []core.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events
}

func TestTheJournalGetsEveryEventInOrderAlsoAfterItFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{broken: errors.New("disk full")}
		c := newJournalWriter(l, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.run(ctx)
		}()
		c.note(0, make([]core.Event, 3), []core.Alert{{ID: "a", Count: 1}})
		synctest.Wait()
		c.note(3, make([]core.Event, 2), []core.Alert{{ID: "a", Count: 2}})
		synctest.Wait()
		l.repair(nil)
		<-time.After(journalRetry)
		synctest.Wait()
		c.note(5, make([]core.Event, 1), nil)
		stop()
		<-done
		checkGapFree(t, 0, l.recorded())
		if len(l.recorded()) != 6 || l.alerts["a"].Count != 2 {
			t.Errorf("%d events, %+v", len(l.recorded()), l.alerts)
		}
	})
}

func TestASlowJournalHoldsUpNoEvent(t *testing.T) {
	l := &ledger{slow: time.Hour}
	s := &fleettest.FeedEngine{Socket: "/slow-journal"}
	s.Show("a")
	f := openStreams(t, fleettest.BuiltinKinds(t), fleettest.RuntimeDir(t), Options{Engine: s, Journal: l})
	r := subscribed(t, f, Interest{})
	r.until(core.Resynced)
	for _, names := range [][]string{{"a", "b"}, {"a"}, {"a", "c"}} {
		s.Show(names...)
		r.next()
	}
	r.end()
	if len(l.recorded()) == 0 {
		t.Error("nothing was recorded at the end")
	}
}

// readUntilSecond reads what a member finds, and stops it while it makes its second
// snapshot.
func readUntilSecond(t *testing.T, m *member) (r *reader, stopped <-chan struct{}) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	made, snapshots := m.snapshot, 0
	m.snapshot = func(ctx context.Context, c *engine.Change) (*core.Snapshot, error) {
		snapshots++
		if snapshots == 2 {
			stop()
			// Long enough for all who only wait for the end.
			defer func() { _ = core.Sleep(t.Context(), 50*time.Millisecond) }()
		}
		return made(ctx, c)
	}
	return &reader{subscribe(ctx, m, false), t, stop}, ctx.Done()
}

func TestWhatIsFoundAsAKeeperStopsIsRecordedToo(t *testing.T) {
	l := &ledger{}
	s := &fleettest.FeedEngine{Socket: "/last-snapshot"}
	s.Show("a")
	f := openStreams(t, fleettest.BuiltinKinds(t), fleettest.RuntimeDir(t), Options{Engine: s, Journal: l})
	m := f.newMember(f.opts.Dir.FilesOf(engine.Info{Socket: s.Socket}), Interest{})
	r, stopped := readUntilSecond(t, m)
	r.until(core.Resynced)
	s.Show("a", "b")
	<-stopped
	r.end()
	_, revision := m.hub.known()
	recorded := l.recorded()
	if len(recorded) == 0 || recorded[len(recorded)-1].Revision != revision {
		t.Errorf("%d are recorded, up to which is not revision %d", len(recorded), revision)
	}
	checkGapFree(t, 0, recorded)
	if recorded[len(recorded)-1].Type != core.PaneOpened {
		t.Errorf("the last is %+v", recorded[len(recorded)-1])
	}
}

func TestStoppingKeeperPublishesLastChanges(t *testing.T) {
	h := houseWith(t, "a")
	m := h.member(t, Interest{})
	r, stopped := readUntilSecond(t, m)
	r.until(core.Resynced)
	other := subscribed(t, h.open(t), Interest{})
	before := other.until(core.Resynced)
	h.Show("a", "b")
	<-stopped
	r.end()
	checkGapFree(t, before[len(before)-1].Revision, other.until(core.PaneOpened))
}

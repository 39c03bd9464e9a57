package keeper

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
)

// snapshotFunc turns a listing into a snapshot, asking the engine for the screens
// that it needs. Dirty are those that may have changed since the last snapshot
// that could be made.
type snapshotFunc func(context.Context, *engine.Change) (*core.Snapshot, error)

// dueFunc returns when the last snapshot may change although nothing happens,
// such as at the end of an agent's start timeout; the zero time if never.
type dueFunc func() time.Time

// retrySnapshot is how long after a snapshot that could not be made the next one
// is tried, unless the feed reports a change before.
const retrySnapshot = time.Second

// snapshotEvery is how often snapshots are made while nothing changes but screens
// that were looked at as lately. It is shorter than the time between two looks of
// a feed, so that none of these waits.
const snapshotEvery = 200 * time.Millisecond

// errFeedEnded means that a change feed closed before its context ended.
var errFeedEnded = errors.New("the engine's change feed ended")

// feedLoop makes snapshots out of an engine's changes. It acts on changes, on
// what hooks report, and at the moments that due names, and sleeps in between.
type feedLoop struct {
	snapshot snapshotFunc
	due      dueFunc
	// waits reports whether one of some dirty panes was not looked at lately.
	waits func([]core.PaneID) bool
	// nudges has a value when the snapshot is to be made at once; it may be nil.
	nudges <-chan struct{}
	now    func() time.Time
	log    *slog.Logger
	// onChange gets each change at once; publish takes each new snapshot.
	onChange func(*engine.Change)
	// last returns the snapshot that was published last, by this process or one that
	// kept it before; nil if there is none.
	last    func() *core.Snapshot
	publish func(*core.Snapshot)
}

// run reads the feed that was started with ctx until both end, and then returns
// nil.
func (l *feedLoop) run(ctx context.Context, feed engine.Feed) error {
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	var change engine.Change
	var due, made time.Time
	for begun := false; ; {
		select {
		case next, open := <-feed.Changes():
			if !open {
				return unlessDone(ctx, errFeedEnded)
			}
			l.onChange(&next)
			next.Dirty = mergePanes(change.Dirty, next.Dirty)
			change, begun = next, true
			if soon := made.Add(snapshotEvery); !l.urgent(&next) && l.now().Before(soon) {
				if due.IsZero() || soon.Before(due) {
					due = soon
					timer.Reset(due.Sub(l.now()))
				}
				continue
			}
		case <-l.nudges:
			if !begun || change.Silent != nil {
				continue
			}
			change.Listing.Taken = l.now()
		case <-timer.C:
			if change.Silent != nil {
				continue
			}
			change.Listing.Taken = l.now()
		}
		if ctx.Err() != nil {
			continue
		}
		due, made = l.take(ctx, &change)
		timer.Stop()
		// What became due while the snapshot was made is not lost. What was due before
		// is not waited for: this snapshot does not change it.
		if due.After(made) {
			timer.Reset(due.Sub(l.now()))
		} else {
			due = time.Time{}
		}
	}
}

// urgent reports whether a change wants a snapshot however young the last is.
func (l *feedLoop) urgent(change *engine.Change) bool {
	return change.Structural || change.Lost != nil || change.Silent != nil || l.waits(change.Dirty)
}

// mergePanes merges the panes of two changes.
func mergePanes(a, b []core.PaneID) []core.PaneID {
	b = slices.Clip(b)
	for _, id := range a {
		if !slices.Contains(b, id) {
			b = append(b, id)
		}
	}
	return b
}

// take publishes the snapshot of a change and returns when it is due to be made
// again, and when its making began; the zero time if it could not be made.
func (l *feedLoop) take(ctx context.Context, change *engine.Change) (due, at time.Time) {
	at = l.now()
	if change.Lost == nil && change.Silent != nil {
		l.publishSilence(change.Listing.Taken)
		return time.Time{}, at
	}
	snapshot := observe.Empty(at)
	if change.Lost == nil {
		made, err := l.snapshot(ctx, change)
		if err != nil {
			l.log.Debug("no snapshot could be made", "error", err)
			if errors.Is(err, engine.ErrSilent) {
				l.publishSilence(at)
			}
			return l.now().Add(retrySnapshot), time.Time{}
		}
		snapshot = made
	}
	change.Dirty = nil
	l.publish(snapshot)
	return l.due(), at
}

// publishSilence publishes once that the server has not answered since a moment.
func (l *feedLoop) publishSilence(since time.Time) {
	if last := l.last(); last != nil && last.EngineUp && last.SilentSince.IsZero() {
		l.publish(silentSnapshot(last, since))
	}
}

// silentSnapshot is a snapshot of a server that has not answered since a moment.
func silentSnapshot(last *core.Snapshot, since time.Time) *core.Snapshot {
	snapshot := *last
	snapshot.SilentSince = since
	return &snapshot
}

// unlessDone returns an error only if it was not ctx that ended things.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

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

// snapshotFunc makes a snapshot from a listing, and captures the screens that it needs. Dirty panes may have
// changed since the last successful snapshot.
type snapshotFunc func(context.Context, *engine.Change) (*core.Snapshot, error)

// dueFunc returns when the last snapshot may change without an event, such as at the end of an agent's start
// timeout; the zero time if never.
type dueFunc func() time.Time

// retrySnapshot is the delay before a failed snapshot is retried, unless the feed reports a change earlier.
const retrySnapshot = time.Second

// snapshotEvery throttles snapshots while nothing changes but recently captured screens. It is shorter than a
// feed's capture interval, so that no capture waits.
const snapshotEvery = 200 * time.Millisecond

// settleFor is how long a screen must be left unchanged before it is captured, and settleMost how long it may keep
// changing before it is captured all the same: programs draw in several pieces, and half a screen shows no state.
const settleFor, settleMost = 4 * time.Millisecond, 20 * time.Millisecond

// errFeedEnded means that a change feed closed before its context ended.
var errFeedEnded = errors.New("the engine's change feed ended")

// feedLoop makes snapshots of an engine's changes. It reacts to changes, hook reports and due times, and
// sleeps in between.
type feedLoop struct {
	snapshot snapshotFunc
	due      dueFunc
	// waits reports whether any of some dirty panes was not captured recently.
	waits func([]core.PaneID) bool
	// nudges requests a snapshot at once; it may be nil.
	nudges <-chan struct{}
	now    func() time.Time
	log    *slog.Logger
	// onChange receives each change at once; publish receives each new snapshot.
	onChange func(*engine.Change)
	// last returns the last published snapshot, of this process or an earlier keeper; nil if there is none.
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
	var due, made, moves time.Time
	for pending := false; ; {
		select {
		case next, open := <-feed.Changes():
			if !open {
				return unlessDone(ctx, errFeedEnded)
			}
			l.onChange(&next)
			next.Dirty = mergePanes(change.Dirty, next.Dirty)
			change, pending = next, true
			if moves.IsZero() {
				moves = l.now()
			}
			if soon, settles := l.soonest(&next, made, moves); l.now().Before(soon) {
				// A screen that keeps changing is given a little more time.
				if due.IsZero() || soon.Before(due) || settles && due.Sub(moves) < settleMost {
					due = soon
					timer.Reset(due.Sub(l.now()))
				}
				continue
			}
		case <-l.nudges:
			if !pending || change.Silent != nil {
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
		due, made = l.publishChange(ctx, &change)
		moves = time.Time{}
		timer.Stop()
		// A time that fell due while the snapshot was made is kept. An earlier one is dropped: this snapshot
		// covers it.
		if due.After(made) {
			timer.Reset(due.Sub(l.now()))
		} else {
			due = time.Time{}
		}
	}
}

// soonest returns when a change is to be looked at, if the last snapshot was made at a time and screens change since
// another. settles is true if it is a screen that must be left alone for a moment.
func (l *feedLoop) soonest(change *engine.Change, made, moves time.Time) (soon time.Time, settles bool) {
	switch {
	case change.Structural, change.Lost != nil, change.Silent != nil, len(change.Said) > 0:
		return time.Time{}, false
	case l.waits(change.Dirty):
		return core.Earlier(l.now().Add(settleFor), moves.Add(settleMost)), true
	}
	return made.Add(snapshotEvery), false
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

// publishChange publishes the snapshot of a change and returns its next due time and when its making began; the latter
// is zero on failure.
func (l *feedLoop) publishChange(ctx context.Context, change *engine.Change) (due, at time.Time) {
	at = l.now()
	if change.Lost == nil && change.Silent != nil {
		l.publishSilence(change.Listing.Taken, change.Silent)
		return time.Time{}, at
	}
	snapshot := observe.Empty(at)
	if change.Lost == nil {
		made, err := l.snapshot(ctx, change)
		if err != nil {
			l.log.Debug("no snapshot could be made", "error", err)
			if errors.Is(err, engine.ErrSilent) {
				l.publishSilence(at, err)
			}
			return l.now().Add(retrySnapshot), time.Time{}
		}
		snapshot = made
	}
	change.Dirty = nil
	l.publish(snapshot)
	return l.due(), at
}

// publishSilence publishes that the server has not answered since a time, once for each reason.
func (l *feedLoop) publishSilence(since time.Time, err error) {
	why, last := engine.Reason(err), l.last()
	switch {
	case last == nil || !last.EngineUp:
	case last.SilentSince.IsZero():
		l.publish(silentSnapshot(last, since, why))
	case last.SilentWhy != why:
		l.publish(silentSnapshot(last, last.SilentSince, why))
	}
}

// silentSnapshot is the last snapshot, marked as unanswered since a time.
func silentSnapshot(last *core.Snapshot, since time.Time, why string) *core.Snapshot {
	snapshot := *last
	snapshot.SilentSince, snapshot.SilentWhy = since, why
	return &snapshot
}

// unlessDone returns the error unless ctx caused it.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

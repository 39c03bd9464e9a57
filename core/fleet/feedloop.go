package fleet

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// pictureFunc turns a listing into a picture, asking the engine for the screens
// that it needs.
type pictureFunc func(context.Context, engine.Listing) (*core.Snapshot, error)

// dueFunc returns when a picture may change although nothing happens, such as
// at the end of an agent's start timeout; the zero time if never.
type dueFunc func(*core.Snapshot) time.Time

// retryPicture is how long after a picture that could not be made the next one
// is tried, unless the feed reports a change before.
const retryPicture = time.Second

// pictureEvery is how often pictures are made while nothing changes but screens.
const pictureEvery = 250 * time.Millisecond

// errFeedEnded means that a change feed closed before its context ended.
var errFeedEnded = errors.New("the engine's change feed ended")

// feedLoop makes pictures out of an engine's changes. It acts on changes and at
// the moments that due names, and sleeps in between.
type feedLoop struct {
	picture pictureFunc
	due     dueFunc
	now     func() time.Time
	log     *slog.Logger
	// heed is told of each change at once; publish takes each new picture.
	heed    func(*engine.Change)
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
	for {
		select {
		case next, open := <-feed.Changes():
			if !open {
				return unlessDone(ctx, errFeedEnded)
			}
			l.heed(&next)
			change = next
			if soon := made.Add(pictureEvery); !next.Structural && next.Lost == nil && l.now().Before(soon) {
				if due.IsZero() || soon.Before(due) {
					due = soon
					timer.Reset(due.Sub(l.now()))
				}
				continue
			}
		case <-timer.C:
			change.Listing.Taken = l.now()
		}
		if ctx.Err() != nil {
			continue
		}
		due, made = l.take(ctx, change)
		timer.Stop()
		if wait := due.Sub(l.now()); due.IsZero() || wait <= 0 {
			due = time.Time{}
		} else {
			timer.Reset(wait)
		}
	}
}

// take publishes the picture of a change and returns when it is due to be made
// again, and when it was made; the zero time if it could not be.
func (l *feedLoop) take(ctx context.Context, change engine.Change) (due, at time.Time) {
	picture := &core.Snapshot{Taken: l.now(), Sessions: []core.Session{}, Alerts: []core.Alert{}}
	if change.Lost == nil {
		made, err := l.picture(ctx, change.Listing)
		if err != nil {
			l.log.Debug("no picture could be made", "error", err)
			return l.now().Add(retryPicture), time.Time{}
		}
		picture = made
	}
	due = l.due(picture)
	l.publish(picture)
	return due, l.now()
}

// unlessDone returns an error only if it was not ctx that ended things.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

package effect

import (
	"context"
	"time"
)

// watchEvery is how often a list is read that is watched.
const watchEvery = 2 * time.Second

// watcher waits for another list of something that is polled.
type watcher struct {
	// wake ends the pause of next.
	wake chan struct{}
	// listed identifies the list that next returned last; empty before the first.
	listed string
}

func newWatcher() *watcher { return &watcher{wake: make(chan struct{}, 1)} }

// next reads a list until it is another than the last one, and reports false if ctx ended first. Look
// reads it, and says what identifies it and whether something in it runs: such a list is another at
// each look, because the time that passed changes.
func (w *watcher) next(ctx context.Context, look func() (listed string, live bool)) bool {
	for {
		if w.listed != "" {
			select {
			case <-time.After(watchEvery):
			case <-w.wake:
			case <-ctx.Done():
				return false
			}
		}
		if listed, live := look(); live || listed != w.listed {
			w.listed = listed
			return true
		}
	}
}

// hurry makes next look now.
func (w *watcher) hurry() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

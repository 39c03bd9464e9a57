package effect

import (
	"context"
	"time"

	"cupola/tui/screen"
)

// watchEvery is how often a watched list is read while something in it runs, restEvery how often otherwise.
const watchEvery, restEvery = 2 * time.Second, 5 * time.Second

// watcher waits for another list of something that is polled.
type watcher struct {
	// wake ends the pause of next.
	wake chan struct{}
	// listed identifies the list that next returned last; empty before the first. Live is true if something in it ran.
	listed string
	live   bool
}

func newWatcher() *watcher { return &watcher{wake: make(chan struct{}, 1)} }

// next reads a list until it is another than the last one, and reports false if ctx ended first. Look
// reads it, and says what identifies it and whether something in it runs: such a list is another at
// each look, because the time that passed changes.
func (w *watcher) next(ctx context.Context, look func() (listed string, live bool)) bool {
	for {
		if w.listed != "" {
			pause := restEvery
			if w.live {
				pause = watchEvery
			}
			select {
			case <-time.After(pause):
			case <-w.wake:
			case <-ctx.Done():
				return false
			}
		}
		listed, live := look()
		w.live = live
		if live || listed != w.listed {
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

const (
	// readEvery is how often something is read while it is on the display, and readWithin when it is reported at the
	// latest.
	readEvery, readWithin = 200 * time.Millisecond, time.Second
)

// newsOf reads something that runs until there is news of it, but no longer than readWithin; if it is not known yet,
// it is read once, at once. It reports false if ctx ended first.
func newsOf[T any](ctx context.Context, known bool, look func() (found T, news bool)) (found T, ok bool) {
	for waited := time.Duration(0); ; waited += readEvery {
		if known {
			select {
			case <-time.After(readEvery):
			case <-ctx.Done():
				return found, false
			}
		}
		found, news := look()
		if news || !known || waited >= readWithin {
			return found, true
		}
	}
}

// reader keeps the events, the state and the answers so far of the one run that it reads.
type reader[E any] struct {
	id          string
	events      []E
	said, state string
}

// begin starts to read a run, unless it is being read already.
func (r *reader[E]) begin(id string) {
	if r.id != id {
		*r = reader[E]{id: id}
	}
}

// after is the number of the last event that was read; 0 before the first.
func (r *reader[E]) after(number func(*E) int64) int64 {
	if n := len(r.events); n > 0 {
		return number(&r.events[n-1])
	}
	return 0
}

// add takes what is new, and reports whether something is.
func (r *reader[E]) add(events []E, saying []screen.Saying, state string) (news bool) {
	// A new slice, because the display may hold the old one.
	r.events = append(r.events[:len(r.events):len(r.events)], events...)
	said := ""
	for _, s := range saying {
		said += s.Agent + s.Text + s.Doing + s.Pane
	}
	news = len(events) > 0 || said != r.said || state != r.state
	r.said, r.state = said, state
	return news
}

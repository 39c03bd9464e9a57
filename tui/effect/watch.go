package effect

import (
	"context"
	"time"

	"cupola/core"
	"cupola/tui/screen"
)

const (
	// listEvery is the least time between two readings of the list of runs, and readEvery that of the displayed run.
	listEvery, readEvery = 500 * time.Millisecond, 100 * time.Millisecond
	// answerWithin is how long a reader of a run waits for news: the time that the run takes is shown.
	answerWithin = time.Second
)

// runChanges returns how often runs were reported to have changed, and a channel that closes when there may be more.
type runChanges func() (int, <-chan struct{})

// polled is for a stream without reports of runs: they may have changed every readEvery.
func polled() (int, <-chan struct{}) {
	due := make(chan struct{})
	time.AfterFunc(readEvery, func() { close(due) })
	return int(time.Now().UnixMilli() / readEvery.Milliseconds()), due
}

// after waits until runs have changed since they had some number of times, or wake or ctx ends.
func (c runChanges) after(ctx context.Context, seen int, wake <-chan struct{}) {
	for {
		now, more := c()
		if now != seen {
			return
		}
		select {
		case <-more:
		case <-wake:
			return
		case <-ctx.Done():
			return
		}
	}
}

// watcher waits for another list of runs.
type watcher struct {
	// wake ends the pause of next.
	wake chan struct{}
	// listed identifies the list that next returned last; empty before the first. Seen is how often runs had changed
	// when the list was looked at last, at the time looked.
	listed string
	seen   int
	looked time.Time
}

func newWatcher() *watcher { return &watcher{wake: make(chan struct{}, 1)} }

// next reads a list until it is another than the last one, and reports false if ctx ended first. Look reads it, and
// returns the text that identifies it.
func (w *watcher) next(ctx context.Context, runs runChanges, look func() string) bool {
	for {
		if w.listed != "" {
			runs.after(ctx, w.seen, w.wake)
			if core.Sleep(ctx, listEvery-time.Since(w.looked)) != nil {
				return false
			}
		}
		w.seen, _ = runs()
		w.looked = time.Now()
		if listed := look(); listed != w.listed {
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

// follower waits for news of the run on the display.
type follower[A any] struct {
	// seen is how often runs had changed when last was read.
	seen int
	last A
}

// next looks until there is news, but no longer than answerWithin: the answer is the last one then. A run that is not
// known yet is read once, at once.
func (f *follower[A]) next(
	ctx context.Context, known bool, runs runChanges, look func() (found A, news bool, err error),
) (A, error) {
	limited, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	for {
		if known {
			_ = core.Sleep(limited, readEvery)
			runs.after(limited, f.seen, nil)
			if limited.Err() != nil {
				return f.last, ctx.Err()
			}
		}
		f.seen, _ = runs()
		found, news, err := look()
		f.last = found
		if news || !known || err != nil {
			return found, err
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

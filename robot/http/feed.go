package http

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

const (
	// feedKeeps is how many events a client may be behind.
	feedKeeps = 2048
	// feedAgain is how long it takes to follow the fleet again after that failed.
	feedAgain = time.Second
)

// feed follows the events of the fleet once for all clients, as the verb watch gives them. Clients read it with
// cursors: it waits for none, and one that is too far behind gets a resync.
type feed struct {
	server *Server

	mu sync.Mutex
	// lines are the newest events, the first with number first. A number counts events of this feed.
	lines []event
	first int
	// changed is closed when there are more.
	changed chan struct{}
	// readers counts those who follow now.
	readers int
}

// event is a line of the verb watch, or what happened in a crew.
type event struct {
	revision core.Revision
	kind     string
	session  string
	line     []byte
}

func newFeed(s *Server) *feed { return &feed{server: s, changed: make(chan struct{})} }

// run follows the fleet until ctx ends.
func (f *feed) run(ctx context.Context) {
	for ctx.Err() == nil {
		answer := f.server.opts.Service.Run(ctx, &service.Call{Verb: "watch"}, f.line)
		if ctx.Err() == nil {
			f.server.opts.Log.Warn("http: the fleet cannot be followed", "code", answer.Code)
		}
		_ = core.Sleep(ctx, feedAgain) // the loop sees the end of ctx
	}
}

// line takes one line of the verb.
func (f *feed) line(line render.Object) error {
	text, err := encoded(line)
	if err == nil {
		f.add(event{core.Revision(line.Number("revision")), line.Text("type"), line.Text("session"), text})
	}
	return err
}

// add adds an event. One of revision 0 has no number, and no client continues after it.
func (f *feed) add(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, e)
	if len(f.lines) > feedKeeps {
		drop := len(f.lines) - feedKeeps
		f.lines, f.first = append([]event(nil), f.lines[drop:]...), f.first+drop
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// at returns the number of the first event after a revision; found is false if events in between are not here.
func (f *feed) at(since core.Revision) (number int, found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.lines) - 1; i >= 0; i-- {
		switch revision := f.lines[i].revision; {
		case revision == 0:
		case revision == since:
			return f.first + i + 1, true
		case revision < since:
			return f.first + len(f.lines), false
		}
	}
	return f.first + len(f.lines), false
}

// end is the number of the next event that comes.
func (f *feed) end() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first + len(f.lines)
}

// next are the events from a number on, and what is closed when there are more. Missed is true if the reader was too
// slow for some.
func (f *feed) next(number int) (events []event, following int, missed bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	following = f.first + len(f.lines)
	if number < f.first {
		return nil, following, true, f.changed
	}
	return f.lines[number-f.first:], following, false, f.changed
}

// latest is the revision of the newest event.
func (f *feed) latest() core.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.lines) - 1; i >= 0; i-- {
		if f.lines[i].revision > 0 {
			return f.lines[i].revision
		}
	}
	return 0
}

// count adds to the readers.
func (f *feed) count(add int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers += add
}

func (f *feed) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readers
}

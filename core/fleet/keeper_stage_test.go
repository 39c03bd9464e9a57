package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// stage is an engine of which only the change feed exists; a test says what
// changes on it.
type stage struct {
	engine.Engine
	socket string

	mu     sync.Mutex
	change engine.Change
	feeds  []*stageFeed
	screen string
	broken error
}

func (s *stage) Overlaps() bool { return false }

func (s *stage) Info(context.Context) (engine.Info, error) {
	return engine.Info{Program: "stage", Socket: s.socket}, nil
}

func (s *stage) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var screens []core.Screen
	for _, ask := range asks {
		screens = append(screens, core.Screen{Pane: ask.Pane, Lines: []string{s.screen}, Visible: 1})
	}
	return screens, s.broken
}

func (s *stage) Watch(ctx context.Context) engine.Feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &stageFeed{in: make(chan engine.Change, 1), out: make(chan engine.Change), done: ctx.Done()}
	f.in <- s.change
	s.feeds = append(s.feeds, f)
	go f.run(ctx)
	return f
}

// play makes the feeds report a change.
func (s *stage) play(change engine.Change) {
	s.mu.Lock()
	s.change = change
	feeds := slices.Clone(s.feeds)
	s.mu.Unlock()
	for _, f := range feeds {
		select {
		case f.in <- change:
		case <-f.done:
		}
	}
}

// show plays a server with these sessions.
func (s *stage) show(names ...string) {
	s.play(engine.Change{Listing: listing(names...), Structural: true})
}

// watched reports whether the newest feed looks closely.
func (s *stage) watched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[len(s.feeds)-1]
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gaze.Watched
}

type stageFeed struct {
	in, out chan engine.Change
	done    <-chan struct{}

	mu   sync.Mutex
	gaze engine.Gaze
}

func (f *stageFeed) Changes() <-chan engine.Change { return f.out }

func (f *stageFeed) Look(gaze engine.Gaze) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gaze = gaze
}

func (f *stageFeed) run(ctx context.Context) {
	defer close(f.out)
	for {
		select {
		case change := <-f.in:
			select {
			case f.out <- change:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// listing is a server with these sessions, in the order of their creation, each
// with one pane. A name stands for the same ids whenever it is used.
func listing(names ...string) engine.Listing {
	l := engine.Listing{Taken: time.Now()}
	for _, name := range names {
		n := 0
		for _, r := range name {
			n = n*100 + int(r)%100
		}
		id := core.SessionID("$" + strconv.Itoa(n))
		l.Sessions = append(l.Sessions, engine.Session{ID: id, Name: name, Created: dawn})
		l.Panes = append(l.Panes, engine.Pane{
			ID: core.PaneID("%" + strconv.Itoa(n)), Session: id, Window: core.Window{ID: core.WindowID("@" + strconv.Itoa(n))},
			Process: core.Process{PID: n, Command: "vi"},
		})
	}
	return l
}

func kindsFor(t testing.TB) *agent.Kinds {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// runtimeDir returns a folder short enough for sockets.
func runtimeDir(t testing.TB) string {
	t.Helper()
	return enginetest.ShortDir(t)
}

// throughJSON returns a picture as another process would get it.
func throughJSON(t testing.TB, picture *core.Snapshot) *core.Snapshot {
	t.Helper()
	line, err := json.Marshal(picture)
	if err != nil {
		t.Fatal(err)
	}
	var other core.Snapshot
	if err := json.Unmarshal(line, &other); err != nil {
		t.Fatal(err)
	}
	return &other
}

// reader reads a subscription in a test.
type reader struct {
	*Subscription
	t    testing.TB
	stop context.CancelFunc
}

// subscribed subscribes; the subscription is over before the test is.
func subscribed(t testing.TB, f *Fleet, interest Interest) *reader {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s, err := f.Subscribe(ctx, interest)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	r := &reader{s, t, stop}
	t.Cleanup(r.end)
	return r
}

// end ends the subscription and waits until it is over.
func (r *reader) end() {
	r.stop()
	for range r.Events {
	}
}

// next returns the next event.
func (r *reader) next() core.Event {
	r.t.Helper()
	select {
	case e, open := <-r.Events:
		if !open {
			r.t.Fatalf("the stream ended: %v", r.Err())
		}
		return e
	case <-time.After(patience):
		r.t.Fatal("no event came")
	}
	return core.Event{}
}

// until reads up to the first event of a type, and returns all.
func (r *reader) until(last core.EventType) []core.Event {
	r.t.Helper()
	var events []core.Event
	for {
		e := r.next()
		events = append(events, e)
		if e.Type == last {
			return events
		}
	}
}

// checkGapFree fails where revisions do not follow one another. A resync has
// the revision that is reached already.
func checkGapFree(t testing.TB, after core.Revision, events []core.Event) {
	t.Helper()
	for _, e := range events {
		if e.Type != core.Resynced {
			after++
		}
		if e.Revision != after {
			t.Fatalf("%s has revision %d instead of %d", e.Type, e.Revision, after)
		}
	}
}

func sessionNames(s *core.Snapshot) string {
	var all []string
	for _, session := range s.Sessions {
		all = append(all, session.Name)
	}
	return fmt.Sprint(all)
}

package fleettest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/system/process"
)

// FeedEngine is a fake engine with a change feed whose changes a test emits.
type FeedEngine struct {
	engine.Engine
	Socket string

	Mu         sync.Mutex
	Change     engine.Change
	Feeds      []*fakeFeed
	Screen     string
	CaptureErr error
}

// Overlaps returns false.
func (s *FeedEngine) Overlaps() bool { return false }

// Processes returns those of this machine.
func (s *FeedEngine) Processes() process.Source { return process.Local{} }

// List returns what the last change shows. A keeper that runs for a while asks for it.
func (s *FeedEngine) List(context.Context, engine.Detail) (engine.Listing, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Change.Listing, nil
}

// Tag keeps nothing.
func (s *FeedEngine) Tag(context.Context, ...engine.Tag) error { return nil }

// Info names the socket.
func (s *FeedEngine) Info(context.Context) (engine.Info, error) {
	return engine.Info{Program: "stage", Socket: s.Socket}, nil
}

// Capture returns Screen for every pane, and CaptureErr.
func (s *FeedEngine) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return core.Map(asks, func(ask engine.Ask) core.Screen {
		return core.Screen{Pane: ask.Pane, Lines: []string{s.Screen}, Visible: 1}
	}), s.CaptureErr
}

// Watch returns a feed that begins with the last change.
func (s *FeedEngine) Watch(ctx context.Context) engine.Feed {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := &fakeFeed{in: make(chan engine.Change, 1), out: make(chan engine.Change), done: ctx.Done()}
	f.in <- s.Change
	s.Feeds = append(s.Feeds, f)
	go f.run(ctx)
	return f
}

// Emit makes the feeds report a change.
func (s *FeedEngine) Emit(change engine.Change) {
	s.Mu.Lock()
	s.Change = change
	feeds := slices.Clone(s.Feeds)
	s.Mu.Unlock()
	for _, f := range feeds {
		select {
		case f.in <- change:
		case <-f.done:
		}
	}
}

// Show makes the feeds report a server with these sessions.
func (s *FeedEngine) Show(names ...string) {
	s.Emit(engine.Change{Listing: Listing(names...), Structural: true})
}

// Watched reports whether the focus of the newest feed is Watched.
func (s *FeedEngine) Watched() bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := s.Feeds[len(s.Feeds)-1]
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.focus.Watched
}

type fakeFeed struct {
	in, out chan engine.Change
	done    <-chan struct{}

	mu    sync.Mutex
	focus engine.Focus
}

func (f *fakeFeed) Changes() <-chan engine.Change { return f.out }

func (f *fakeFeed) SetFocus(focus engine.Focus) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.focus = focus
}

func (f *fakeFeed) run(ctx context.Context) {
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

// Listing is a server with these sessions, in the order of their creation, each
// with one pane. A name means the same ids whenever it is used.
func Listing(names ...string) engine.Listing {
	l := engine.Listing{Taken: time.Now()}
	for _, name := range names {
		n := 0
		for _, r := range name {
			n = n*100 + int(r)%100
		}
		id := core.SessionID("$" + strconv.Itoa(n))
		l.Sessions = append(l.Sessions, engine.Session{ID: id, Name: name, Created: Dawn})
		l.Panes = append(l.Panes, engine.Pane{
			ID: core.PaneID("%" + strconv.Itoa(n)), Session: id,
			Window:  core.Window{ID: core.WindowID("@" + strconv.Itoa(n))},
			Process: core.Process{PID: n, Command: "vi"},
		})
	}
	return l
}

// BuiltinKinds loads the kinds that Cupola knows.
func BuiltinKinds(t testing.TB) *agent.Kinds {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// RuntimeDir returns a folder short enough for sockets.
func RuntimeDir(t testing.TB) string {
	t.Helper()
	return enginetest.ShortDir(t)
}

// NewestFocus returns the focus of the newest feed.
func (s *FeedEngine) NewestFocus() engine.Focus {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := s.Feeds[len(s.Feeds)-1]
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.focus
}

// GoSilent makes the feeds report a server that has not answered since a time.
func (s *FeedEngine) GoSilent(since time.Time) {
	s.Emit(engine.Change{Listing: engine.Listing{Taken: since}, Silent: engine.ErrSilent})
}

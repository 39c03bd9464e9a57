package own

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/fileevent"
)

const (
	// returnsWithin is how often a feed looks for a server that has gone, and absentInterval the same while the system
	// reports new files in the folder of its socket.
	returnsWithin  = 250 * time.Millisecond
	absentInterval = 5 * time.Second
	// listensWithin is how long after its socket appeared a server is looked for first.
	listensWithin = 10 * time.Millisecond
	// asksAfter is how long a feed hears nothing until it asks whether the server still answers.
	asksAfter = 10 * time.Second
)

// feed passes on the changes that the server sends. Nothing is polled while a server runs.
type feed struct {
	server  *Server
	changes chan engine.Change
	focuses engine.Focuses
	// folder reports a new file in the folder of the socket, once it was asked to; nil where the system does not, or
	// there is no folder. watching is true until it has.
	folder   *fileevent.Watcher
	watching bool
	// stirred is when the folder had another file last.
	stirred time.Time

	// Only run touches what follows.
	focus   engine.Focus
	listing engine.Listing
	unread  *engine.Change
	lost    bool
	silent  bool
	// why is the reason of a server that is silent.
	why string
}

// Watch starts a feed. Its goroutine ends with ctx.
func (s *Server) Watch(ctx context.Context) engine.Feed {
	f := &feed{server: s, changes: make(chan engine.Change), focuses: engine.NewFocuses()}
	go f.run(ctx)
	return f
}

func (f *feed) Changes() <-chan engine.Change { return f.changes }

// SetFocus replaces a focus that run has not received.
func (f *feed) SetFocus(focus engine.Focus) { f.focuses.Set(focus) }

// run watches one server after the other.
func (f *feed) run(ctx context.Context) {
	defer close(f.changes)
	defer f.unwatch()
	for ctx.Err() == nil {
		watched, err := f.watch(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case watched && errors.Is(err, engine.ErrNoServer):
			continue // another program may have taken its place
		case errors.Is(err, engine.ErrNoServer):
			if f.watchFolder() {
				continue // it may have come meanwhile
			}
			if !f.lost {
				f.lost, f.silent, f.listing = true, false, engine.Listing{}
				f.add(engine.Change{Listing: engine.Listing{Taken: time.Now()}, Lost: err})
			}
		case !f.silent || engine.Reason(err) != f.why:
			f.silent, f.why = true, engine.Reason(err)
			f.add(engine.Change{Listing: engine.Listing{Taken: time.Now()}, Silent: err})
		}
		f.rest(ctx)
	}
}

// watchFolder watches the folder of the socket, and returns true if it was not watched.
func (f *feed) watchFolder() bool {
	if f.folder == nil {
		watcher, err := fileevent.New()
		if err != nil {
			return false
		}
		f.folder = watcher
	}
	if f.watching {
		return false
	}
	f.watching = f.folder.WatchFolder(filepath.Dir(f.server.SocketPath())) == nil
	return f.watching
}

// unwatch ends the watch of the folder.
func (f *feed) unwatch() {
	if f.folder != nil {
		_ = f.folder.Close()
		f.folder, f.watching = nil, false
	}
}

// rest delivers what is unread until it is time to look for a server.
func (f *feed) rest(ctx context.Context) {
	wait := returnsWithin
	var events <-chan struct{}
	if f.lost && f.watching {
		events = f.folder.Folders()
		if time.Since(f.stirred) > time.Second {
			wait = absentInterval
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		out, newest := f.delivery()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-events:
			events, f.watching, f.stirred = nil, false, time.Now()
			timer.Reset(listensWithin)
		case out <- newest:
			f.unread = nil
		case f.focus = <-f.focuses:
		}
	}
}

// delivery returns the channel and the value for the select that delivers an unread change; the channel is nil if there
// is none.
func (f *feed) delivery() (chan<- engine.Change, engine.Change) {
	if f.unread == nil {
		return nil, engine.Change{}
	}
	return f.changes, *f.unread
}

// message is one frame of a server's stream.
type message struct {
	change wire.Change
	// answer is true for an answer to the question whether it still answers.
	answer bool
	err    error
}

// watch passes on the changes of a server until it ends. watched is true if there was one.
func (f *feed) watch(ctx context.Context) (watched bool, err error) {
	select {
	case f.focus = <-f.focuses:
	default:
	}
	c, err := f.server.stream(ctx, wire.Request{Op: wire.Watch, Focus: &f.focus})
	if err != nil {
		return false, err
	}
	defer c.Close()
	f.unwatch()
	messages := make(chan message)
	done := make(chan struct{})
	defer close(done)
	go c.receive(messages, done)
	quiet := time.NewTimer(asksAfter)
	defer quiet.Stop()
	asked := false
	for {
		out, newest := f.delivery()
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case out <- newest:
			f.unread = nil
		case f.focus = <-f.focuses:
			if err := c.request(wire.Request{Op: wire.Focus, Focus: &f.focus}); err != nil {
				return true, engine.ErrNoServer
			}
		case m := <-messages:
			if m.err != nil {
				return true, m.err
			}
			asked = false
			quiet.Reset(asksAfter)
			f.merge(m)
		case <-quiet.C:
			if asked {
				return true, engine.ErrSilent
			}
			asked = true
			quiet.Reset(f.server.opts.Timeout)
			if err := c.request(wire.Request{Op: wire.Focus}); err != nil {
				return true, engine.ErrNoServer
			}
		}
	}
}

// request sends a request without waiting for an answer.
func (c *connection) request(r wire.Request) error {
	_ = c.SetWriteDeadline(time.Now().Add(answersWithin))
	return wire.WriteJSON(c, wire.RequestFrame, r)
}

// receive reads what a server says until it ends.
func (c *connection) receive(messages chan<- message, done <-chan struct{}) {
	for {
		m := message{}
		kind, body, err := wire.ReadFrame(c.in)
		switch {
		case err != nil:
			m.err = engine.ErrNoServer
		case kind == wire.ChangeFrame:
			m.change, m.err = wire.ParseChange(body)
		default:
			m.answer = true
		}
		select {
		case messages <- m:
		case <-done:
			return
		}
		if m.err != nil {
			return
		}
	}
}

// merge merges what a server said into what is unread.
func (f *feed) merge(m message) {
	if m.answer {
		if f.silent {
			f.silent = false
			f.add(engine.Change{Listing: f.listing})
		}
		return
	}
	change := m.change
	change.Listing = wire.MapListing(change.Listing, wire.Unpack)
	if change.Structural {
		f.listing = change.Listing
	} else {
		f.listing.Taken = change.Listing.Taken
		panes := slices.Clone(f.listing.Panes)
		for _, changed := range change.Listing.Panes {
			if i := slices.IndexFunc(panes, func(p engine.Pane) bool { return p.ID == changed.ID }); i >= 0 {
				panes[i] = changed
			}
		}
		f.listing.Panes = panes
	}
	f.lost, f.silent = false, false
	f.add(engine.Change{Listing: f.listing, Structural: change.Structural, Dirty: change.Dirty, Said: change.Said})
}

// add adds a change to what is unread.
func (f *feed) add(change engine.Change) { f.unread = engine.Merge(f.unread, change) }

package keeper

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/fault"
)

// Interest is the part of the stream that a subscriber wants.
type Interest struct {
	// Since continues an earlier stream after that revision, without a gap. Zero, and a revision too old or
	// unknown, begin with the whole snapshot.
	Since core.Revision
	// Watched makes the feed detect activity within 250 ms instead of one second.
	Watched bool
	// Bare includes sessions that the settings hide, and their events.
	Bare bool
}

// Subscription is a stream of events. It ends with its context.
type Subscription struct {
	// Events delivers events in the order of their revisions. It is closed at the end. A reader that falls
	// far behind gets a resync instead of what it missed. The snapshots in events must not be modified.
	Events <-chan core.Event

	err error
}

// Err returns why the stream ended, once Events is closed: nil if its context ended.
func (s *Subscription) Err() error { return s.err }

// Subscribe streams changes from now on, or since a revision. Without one, the stream begins with a resync:
// the whole snapshot. A resync is no change; it carries the revision of its snapshot. All other events have
// consecutive revisions, also across the death of the keeper.
//
// The subscription may itself become the keeper, which watches the engine and serves all others, until it
// ends. If it cannot join, because there is no runtime directory or the keeper has another protocol version
// or does not answer, it uses a snapshot of its own, whose events have no revision; the Message of its first
// event says why.
//
// A server that does not run has an empty snapshot. Subscribe returns EngineUnavailable, or PermissionDenied
// or IOError for the runtime folder.
func (s *Streams) Subscribe(ctx context.Context, interest Interest) (*Subscription, error) {
	info, err := s.opts.Engine.Info(ctx)
	if err != nil {
		return nil, fault.Wrap("subscribe", err)
	}
	files, err := s.files(info)
	if err != nil {
		return nil, fault.Wrap("subscribe", err)
	}
	m := s.newMember(files, interest)
	return subscribe(ctx, m, foreignFilter(s.opts.HideForeign && !interest.Bare)), nil
}

// subscribe starts a member and delivers what its hub learns.
func subscribe(ctx context.Context, m *member, filter foreignFilter) *Subscription {
	events := make(chan core.Event)
	s := &Subscription{Events: events}
	var read cursor
	if m.known {
		_, since := m.hub.known()
		read = m.hub.at(since)
	}
	go func() {
		defer close(events)
		ctx, stop := context.WithCancel(ctx)
		delivered := make(chan struct{})
		go func() {
			defer close(delivered)
			deliver(ctx, m, read, filter, events)
		}()
		err := m.run(ctx)
		stop()
		<-delivered
		s.err = fault.Wrap("subscribe", err)
	}()
	return s
}

// deliver forwards the hub's batches until ctx ends.
func deliver(ctx context.Context, m *member, read cursor, filter foreignFilter, events chan<- core.Event) {
	for ctx.Err() == nil {
		b, after, changed := m.hub.next(read)
		read = after
		for _, e := range filter.apply(b.withResync(m.now())).events {
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
		if b.empty() {
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

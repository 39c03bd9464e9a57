package keeper

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/fault"
)

// Live is the live snapshot together with the screens that a user looks at. It
// ends with the context it was asked for with.
type Live struct {
	// Frames delivers what changed; the first frame has a Snapshot. It is closed
	// at the end. What a slow reader did not take yet is merged, so that a frame
	// always holds the newest.
	Frames <-chan Frame

	group  *liveGroup
	viewer *viewer
	err    error
}

// Frame is what a reader of Live does not have yet. What it holds must not be
// changed.
type Frame struct {
	// Snapshot is the newest snapshot, or nil if the reader has it. Where sizes,
	// cursors, folders or viewers are all that changed there is no new snapshot.
	Snapshot *core.Snapshot
	// Events led to Snapshot. A resync among them says that others are missing,
	// and in its Message why if that matters.
	Events []core.Event
	// Screens are those of the visible panes whose text, cursor or size is not
	// what the reader has, with colours and attributes; a pane that comes into
	// view is among them. A screen holds until a Snapshot lacks its pane or an
	// event closes it.
	Screens map[core.PaneID]core.Screen
	// Keeper is true if this process keeps the snapshot for all others.
	Keeper bool
}

func (f *Frame) empty() bool { return f.Snapshot == nil && len(f.Screens) == 0 }

// Live delivers the snapshot and what leads from one to the next, as Subscribe
// does, and the screens of the panes that Look names. What a visible pane
// prints is found within a twentieth of a second while the pane is active, and
// else within a quarter.
//
// All Lives of a Fleet share one part in keeping the snapshot, one change feed
// and one question for screens at a time. Where the shared snapshot is late, the
// first Snapshot is one of this Live's own, without events. Bare delivers also what
// the settings hide.
//
// Live returns the errors of Subscribe.
func (s *Streams) Live(ctx context.Context, bare bool) (*Live, error) {
	info, err := s.Engine.Info(ctx)
	if err != nil {
		return nil, fault.Wrap("live", err)
	}
	r, err := s.groups.enter(func() (*liveGroup, error) { return s.newLiveGroup(ctx, info) })
	if err != nil {
		return nil, fault.Wrap("live", err)
	}
	frames := make(chan Frame)
	l := &Live{Frames: frames, group: r, viewer: r.poller.admit()}
	go func() {
		defer close(frames)
		l.deliver(ctx, readerState{filter: foreignFilter(s.HideForeign && !bare)}, frames)
		r.poller.dismiss(l.viewer)
		l.err = fault.Wrap("live", unlessDone(ctx, s.groups.leave(r)))
	}()
	return l, nil
}

// Look says which panes are on a display from now on. It may be called
// at any time and never blocks. A pane that is not there does no harm.
func (l *Live) Look(panes []core.PaneID) { l.group.poller.look(l.viewer, panes) }

// Err says why the frames ended, once Frames is closed: nil where the context
// did.
func (l *Live) Err() error { return l.err }

// deliver sends frames until ctx or the group ends.
func (l *Live) deliver(ctx context.Context, has readerState, frames chan<- Frame) {
	for {
		frame, then, changed := has.next(l.group, l.viewer)
		var out chan<- Frame
		if !frame.empty() {
			out = frames
		}
		select {
		case out <- frame:
			has = then
		case <-changed:
		case <-l.viewer.wake:
		case <-l.group.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

package keeper

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/fault"
)

// Live is a stream of the shared snapshot and of the screens on display. It ends with its context.
type Live struct {
	// Frames delivers changes; the first frame has a Snapshot. It is closed at the end. Frames that a slow
	// reader has not received are merged, so that a frame always holds the newest state.
	Frames <-chan Frame

	group  *liveGroup
	viewer *viewer
	err    error
}

// Stream is a Live, or something else that delivers frames as one does.
type Stream struct {
	Frames  <-chan Frame
	Display func([]core.PaneID)
	Err     func() error
	// Runs returns how often runs were reported to have changed, and a channel that closes when there may be more; nil
	// if it is not known.
	Runs func() (int, <-chan struct{})
}

// Stream returns what a reader needs.
func (l *Live) Stream() Stream {
	return Stream{Frames: l.Frames, Display: l.Display, Err: l.Err, Runs: l.group.member.hub.runsAt}
}

// Frame is the news for a reader of Live. It must not be modified.
type Frame struct {
	// Snapshot is the newest snapshot, or nil if the reader has it. Changes of sizes, cursors, folders or
	// viewers alone make no new snapshot.
	Snapshot *core.Snapshot
	// Events led to Snapshot. A resync among them means that others are missing; its Message may say why.
	Events []core.Event
	// Screens are the screens, with colours and attributes, of visible panes whose text, cursor or size
	// changed since this reader's last frame, and of panes that became visible. A screen is valid until a
	// Snapshot lacks its pane or an event closes it.
	Screens map[core.PaneID]core.Screen
	// Keeper is true if this process is the keeper.
	Keeper bool
}

func (f *Frame) empty() bool { return f.Snapshot == nil && len(f.Screens) == 0 }

// Live streams the snapshot and its events, as Subscribe does, and the screens of the panes that Look names.
// Output of a visible pane is detected within 50 ms while the pane is active, else within 250 ms.
//
// All Lives of a Fleet share one member, one change feed and one capture at a time. If the shared snapshot is
// late, the first Snapshot is a preview of this Live's own, without events. With bare it also delivers the
// sessions that the settings hide.
//
// Live returns the errors of Subscribe.
func (s *Streams) Live(ctx context.Context, bare bool) (*Live, error) {
	info, err := s.opts.Engine.Info(ctx)
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
		l.deliver(ctx, readerState{filter: foreignFilter(s.opts.HideForeign && !bare)}, frames)
		r.poller.dismiss(l.viewer)
		l.err = fault.Wrap("live", unlessDone(ctx, s.groups.leave(r)))
	}()
	return l, nil
}

// Display sets the panes on display. It may be called at any time and never blocks. Unknown panes are ignored.
func (l *Live) Display(panes []core.PaneID) { l.group.poller.display(l.viewer, panes) }

// Err returns why the frames ended, once Frames is closed: nil if the context ended.
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

package keeper

import (
	"maps"

	"cupola/core"
)

// readerState is the part of the news that a reader of Live has received.
type readerState struct {
	filter foreignFilter
	read   cursor
	// snapshot is nil before the first.
	snapshot *core.Snapshot
	screens  map[core.PaneID]screenVersion
}

// next returns the next frame of a reader, its state after that, and a channel that closes when there is
// another snapshot. The frame is empty if nothing changed.
func (h readerState) next(r *liveGroup, viewer *viewer) (frame Frame, then readerState, changed <-chan struct{}) {
	b, read, changed := r.member.hub.next(h.read)
	h.screens = maps.Clone(h.screens)
	frame.Keeper = r.member.keeps.Load()
	switch {
	case !b.empty():
		b = h.filter.apply(b.withResync(r.member.now()))
		h.read, h.snapshot = read, b.snapshot
		frame.Snapshot, frame.Events = b.snapshot, b.events
	case h.snapshot == nil:
		h.snapshot = r.preview.Load()
		frame.Snapshot = h.snapshot
	}
	if h.snapshot == nil {
		return frame, h, changed
	}
	for i := range frame.Events {
		if frame.Events[i].Type == core.PaneClosed {
			delete(h.screens, frame.Events[i].PaneID)
		}
	}
	frame.Screens, h.screens = r.poller.screens(viewer, h.snapshot, h.screens)
	return frame, h, changed
}

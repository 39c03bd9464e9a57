package keeper

import (
	"maps"

	"cupola/core"
)

// readerState is what a reader of Live has.
type readerState struct {
	filter foreignFilter
	read   cursor
	// picture is nil before the first.
	picture *core.Snapshot
	screens map[core.PaneID]screenVersion
}

// next returns the frame for a reader, what it has then, and a channel that
// closes when there is another picture. The frame is empty where it lacks
// nothing.
func (h readerState) next(r *liveGroup, viewer *viewer) (frame Frame, then readerState, changed <-chan struct{}) {
	b, read, changed := r.member.hub.next(h.read)
	h.screens = maps.Clone(h.screens)
	frame.Keeper = r.member.keeps.Load()
	switch {
	case !b.empty():
		b = h.filter.apply(b.told(r.member.now()))
		h.read, h.picture = read, b.picture
		frame.Snapshot, frame.Events = b.picture, b.events
	case h.picture == nil:
		h.picture = r.preview.Load()
		frame.Snapshot = h.picture
	}
	if h.picture == nil {
		return frame, h, changed
	}
	for i := range frame.Events {
		if frame.Events[i].Type == core.PaneClosed {
			delete(h.screens, frame.Events[i].PaneID)
		}
	}
	frame.Screens, h.screens = r.poller.screens(viewer, h.picture, h.screens)
	return frame, h, changed
}

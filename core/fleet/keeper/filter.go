package keeper

import (
	"slices"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// foreignFilter hides the sessions of others, if drawn, together with what happens in them.
type foreignFilter bool

// apply returns what is to be seen of a batch.
func (v foreignFilter) apply(b batch) batch {
	if !bool(v) || b.empty() {
		return b
	}
	picture := *b.picture
	picture.Sessions, picture.Alerts = slices.Clone(picture.Sessions), slices.Clone(picture.Alerts)
	resolve.RemoveHidden(&picture)
	var seen []core.Event
	for _, e := range b.events {
		if e.Foreign {
			continue
		}
		if e.Snapshot != nil {
			e.Snapshot = &picture
		}
		seen = append(seen, e)
	}
	b.events, b.picture = seen, &picture
	return b
}

// hides reports whether a session of a picture is behind the filter.
func (v foreignFilter) hides(picture *core.Snapshot, session string) bool {
	return bool(v) && slices.Contains(resolve.HiddenNames(picture), session)
}

// markForeign marks the events of sessions that are foreign in one of the pictures
// between which they happened.
func markForeign(events []core.Event, before, after *core.Snapshot) {
	var foreign []string
	for _, picture := range []*core.Snapshot{before, after} {
		if picture != nil {
			foreign = append(foreign, resolve.HiddenNames(picture)...)
		}
	}
	for i := range events {
		events[i].Foreign = slices.Contains(foreign, events[i].Session)
	}
}

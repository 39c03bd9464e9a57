package keeper

import (
	"slices"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// foreignFilter hides foreign sessions, if true, together with their events.
type foreignFilter bool

// apply returns the visible part of a batch.
func (v foreignFilter) apply(b batch) batch {
	if !bool(v) || b.empty() {
		return b
	}
	snapshot := *b.snapshot
	snapshot.Sessions, snapshot.Alerts = slices.Clone(snapshot.Sessions), slices.Clone(snapshot.Alerts)
	resolve.RemoveHidden(&snapshot)
	var seen []core.Event
	for _, e := range b.events {
		if e.Foreign {
			continue
		}
		if e.Snapshot != nil {
			e.Snapshot = &snapshot
		}
		seen = append(seen, e)
	}
	b.events, b.snapshot = seen, &snapshot
	return b
}

// hides reports whether the filter hides a session of a snapshot.
func (v foreignFilter) hides(snapshot *core.Snapshot, session string) bool {
	return bool(v) && slices.Contains(resolve.HiddenNames(snapshot), session)
}

// markForeign marks events of sessions that are foreign in one of the two snapshots.
func markForeign(events []core.Event, before, after *core.Snapshot) {
	var foreign []string
	for _, snapshot := range []*core.Snapshot{before, after} {
		if snapshot != nil {
			foreign = append(foreign, resolve.HiddenNames(snapshot)...)
		}
	}
	for i := range events {
		events[i].Foreign = slices.Contains(foreign, events[i].Session)
	}
}

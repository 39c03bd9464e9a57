package fleet

import (
	"slices"

	"cupola/core"
)

// veil hides the sessions of others, if drawn, together with what happens in them.
type veil bool

// over returns what is to be seen of a batch.
func (v veil) over(b batch) batch {
	if !bool(v) || b.empty() {
		return b
	}
	picture := *b.picture
	picture.Sessions = slices.DeleteFunc(slices.Clone(picture.Sessions), hidden)
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

// Hides reports whether an event that is on record is one that a stream leaves out.
func (f *lookout) Hides(e *core.Event) bool { return f.hideForeign && e.Foreign }

// markForeign marks the events of sessions that are foreign in one of the pictures
// between which they happened.
func markForeign(events []core.Event, before, after *core.Snapshot) {
	foreign := map[string]bool{}
	for _, picture := range []*core.Snapshot{before, after} {
		if picture == nil {
			continue
		}
		for _, session := range picture.Sessions {
			if hidden(session) {
				foreign[session.Name] = true
			}
		}
	}
	for i := range events {
		events[i].Foreign = foreign[events[i].Session]
	}
}

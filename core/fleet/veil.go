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
	picture.Sessions, picture.Alerts = slices.Clone(picture.Sessions), slices.Clone(picture.Alerts)
	conceal(&picture)
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

// covers reports whether a session of a picture is behind the veil.
func (v veil) covers(picture *core.Snapshot, session string) bool {
	return bool(v) && slices.Contains(concealed(picture), session)
}

// conceal takes the sessions of others out of a picture, and the alerts about them.
func conceal(picture *core.Snapshot) {
	names := concealed(picture)
	picture.Sessions = slices.DeleteFunc(picture.Sessions, hidden)
	picture.Alerts = slices.DeleteFunc(picture.Alerts, func(a core.Alert) bool { return slices.Contains(names, a.Session) })
}

// concealed are the names of the sessions that conceal takes out of a picture.
func concealed(picture *core.Snapshot) []string {
	var names []string
	for _, session := range picture.Sessions {
		if hidden(session) {
			names = append(names, session.Name)
		}
	}
	return names
}

// hidden reports whether a session holds nothing that Cupola made or adopted.
func hidden(s core.Session) bool {
	return s.Foreign && !slices.ContainsFunc(s.Panes, func(p core.Pane) bool { return p.Managed })
}

// HidesForeign reports whether answers about all sessions leave out those of others,
// with the events that are marked as foreign.
func (f *lookout) HidesForeign() bool { return f.hideForeign }

// markForeign marks the events of sessions that are foreign in one of the pictures
// between which they happened.
func markForeign(events []core.Event, before, after *core.Snapshot) {
	var foreign []string
	for _, picture := range []*core.Snapshot{before, after} {
		if picture != nil {
			foreign = append(foreign, concealed(picture)...)
		}
	}
	for i := range events {
		events[i].Foreign = slices.Contains(foreign, events[i].Session)
	}
}

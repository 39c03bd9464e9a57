package resolve

import (
	"slices"

	"cupola/core"
)

// RemoveHidden removes foreign sessions from a snapshot, and the alerts about them.
func RemoveHidden(snapshot *core.Snapshot) {
	names := HiddenNames(snapshot)
	snapshot.Sessions = slices.DeleteFunc(snapshot.Sessions, Hidden)
	snapshot.Alerts = slices.DeleteFunc(snapshot.Alerts,
		func(a core.Alert) bool { return slices.Contains(names, a.Session) })
}

// HiddenNames returns the names of the sessions that RemoveHidden removes.
func HiddenNames(snapshot *core.Snapshot) []string {
	var names []string
	for _, session := range snapshot.Sessions {
		if Hidden(session) {
			names = append(names, session.Name)
		}
	}
	return names
}

// Hidden reports whether a session holds nothing that Cupola created or adopted.
func Hidden(s core.Session) bool {
	return s.Foreign && !slices.ContainsFunc(s.Panes, func(p core.Pane) bool { return p.Managed })
}

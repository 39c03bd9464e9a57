package resolve

import (
	"slices"

	"cupola/core"
)

// RemoveHidden takes the sessions of others out of a picture, and the alerts about them.
func RemoveHidden(picture *core.Snapshot) {
	names := HiddenNames(picture)
	picture.Sessions = slices.DeleteFunc(picture.Sessions, Hidden)
	picture.Alerts = slices.DeleteFunc(picture.Alerts,
		func(a core.Alert) bool { return slices.Contains(names, a.Session) })
}

// HiddenNames are the names of the sessions that conceal takes out of a picture.
func HiddenNames(picture *core.Snapshot) []string {
	var names []string
	for _, session := range picture.Sessions {
		if Hidden(session) {
			names = append(names, session.Name)
		}
	}
	return names
}

// Hidden reports whether a session holds nothing that Cupola made or adopted.
func Hidden(s core.Session) bool {
	return s.Foreign && !slices.ContainsFunc(s.Panes, func(p core.Pane) bool { return p.Managed })
}

package screen

import (
	"strings"

	"cupola/core"
	"cupola/core/host"
	"cupola/tui/intent"
)

// HostOf is the name of the host that has a session or pane, by its id; empty for this machine.
func HostOf(id string) string {
	if !host.Elsewhere(id) {
		return ""
	}
	name, _, _ := strings.Cut(id, "/")
	return name
}

// PaneAt returns the pane with an address; nil if there is none.
func PaneAt(snapshot *core.Snapshot, address string) *core.Pane {
	if snapshot == nil || address == "" {
		return nil
	}
	for _, pane := range snapshot.Panes() {
		if pane.Address() == address {
			return pane
		}
	}
	return nil
}

// Place leads to the pane with an address or, where that is gone, to its session; without an address it leads to a
// session.
func Place(snapshot *core.Snapshot, address, session string) intent.GoTo {
	if pane := PaneAt(snapshot, address); pane != nil {
		return intent.GoTo{Pane: pane.ID, Session: pane.Session}
	}
	if at := strings.LastIndexByte(address, '.'); at > 0 {
		return intent.GoTo{Session: address[:at]}
	}
	return intent.GoTo{Session: session}
}

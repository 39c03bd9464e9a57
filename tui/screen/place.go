package screen

import (
	"cupola/core"
	"cupola/tui/intent"
)

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
	if at := core.ParseAddress(address); at.Pane != "" {
		at.Pane = ""
		return intent.GoTo{Session: at.String()}
	}
	return intent.GoTo{Session: session}
}

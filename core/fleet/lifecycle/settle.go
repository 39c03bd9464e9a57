package lifecycle

import (
	"strconv"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
)

// settle makes the numbers of a session stable: it returns the tags that keep
// for every pane the ordinal it is shown with, and the first ordinal that was
// never used.
func settle(listing engine.Listing, session *core.Session) (tags []engine.Tag, next int) {
	for i := range listing.Sessions {
		if listing.Sessions[i].ID == session.ID {
			next = observe.NextOrdinal(listing.Sessions[i])
		}
	}
	// Agents of Cupola's count from 1 also where no user pane has 0.
	next = max(next, 1)
	tagged := map[core.PaneID]string{}
	for i := range listing.Panes {
		tagged[listing.Panes[i].ID] = listing.Panes[i].Tags[engine.TagOrdinal]
	}
	for i := range session.Panes {
		pane := &session.Panes[i]
		ordinal := strconv.Itoa(pane.Ordinal)
		if tagged[pane.ID] != ordinal {
			tags = append(tags, engine.Tag{Pane: pane.ID, Name: engine.TagOrdinal, Value: ordinal})
		}
		next = max(next, pane.Ordinal+1)
	}
	return tags, next
}

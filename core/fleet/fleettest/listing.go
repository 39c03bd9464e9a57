package fleettest

import (
	"strconv"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// ListingOf returns the listing from which an observer makes a snapshot, with tags for its
// agents. Sessions without an id get one.
func ListingOf(snapshot *core.Snapshot) engine.Listing {
	listing := engine.Listing{Taken: snapshot.Taken}
	for i, session := range snapshot.Sessions {
		if session.ID == "" {
			session.ID = core.SessionID("$" + strconv.Itoa(i+1))
		}
		listing.Sessions = append(listing.Sessions, engine.Session{
			ID: session.ID, Name: session.Name, Created: session.Created, Dir: session.Dir,
		})
		for _, pane := range session.Panes {
			row := Row(string(session.ID), string(pane.ID), "", engine.TagOrdinal, strconv.Itoa(pane.Ordinal))
			row.Process, row.Title, row.Window = pane.Process, pane.Title, pane.Window
			if !pane.IsUser() {
				row.Tags[engine.TagRole], row.Tags[engine.TagKind] = panetag.RoleAgent, string(pane.Agent.Kind)
				row.Tags[engine.TagName] = pane.Agent.Name
			}
			listing.Panes = append(listing.Panes, row)
		}
	}
	return listing
}

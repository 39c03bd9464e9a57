package engine

import (
	"cupola/core"
)

// Feed delivers the changes on a server. Its channel closes when the context it
// was started with ends.
type Feed interface {
	// Changes delivers changes in order. Unread changes are merged into the newest,
	// so that a slow reader loses nothing.
	Changes() <-chan Change

	// SetFocus sets how closely to poll. It may be called at any time.
	SetFocus(focus Focus)
}

// Change is what one poll of the server found. The first poll always sends one.
type Change struct {
	Listing Listing
	// Structural is true if sessions, windows or panes came, went, moved, were
	// renamed, retitled or retagged, or a process changed or died.
	Structural bool
	// Dirty are the panes whose screens may have changed since the last Change that named
	// them. No changed pane is missing.
	Dirty []core.PaneID
	// Lost is the error of a server that has ended; Listing is then empty. It is sent once,
	// and the next change without it means that the server is back.
	Lost error
	// Silent is the error of a server that does not answer but may still run, such as
	// ErrSilent, since Listing.Taken; the rest of Listing is empty then. It is sent once,
	// and the next change without it has the new state of the server.
	Silent error
}

// Focus is how closely a feed polls: once a second with the zero value, four times with
// Watched, and 20 times for the Visible panes that are active. While a Watched feed sees no
// output and no pane opened or closed, it detects ended programs, sizes, modes, tags, names
// and titles within a second, and new programs, folders and places within ten.
type Focus struct {
	Watched bool
	Visible []core.PaneID
	// Only limits polling to the Visible panes, four times a second, and more often while
	// they are active. All other changes are found within five seconds, and until then a
	// Listing holds old values. It is for callers that get the other changes from another
	// process.
	Only bool
}

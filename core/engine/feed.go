package engine

import (
	"cupola/core"
)

// Feed tells what changed on a server. Its channel closes when the context it
// was started with ends.
type Feed interface {
	// Changes delivers changes in order. A slow reader loses no fact: changes
	// that were not read yet are merged into the newest.
	Changes() <-chan Change

	// Look says how closely to look from now on. It may be called at any time.
	Look(gaze Gaze)
}

// Change is what one look at the server found. One is always sent for the
// first look.
type Change struct {
	Listing Listing
	// Structural is true if sessions, windows or panes came, went, moved, were
	// renamed, retitled or retagged, or a process changed or died.
	Structural bool
	// Dirty are the panes whose screen may differ from what it was at the last
	// change that named them: none that changed is missing.
	Dirty []core.PaneID
	// Lost is the error of a server that is gone; Listing is then empty. It is sent
	// once, and the next change without it means that the server is back.
	Lost error
	// Silent is why nothing can be learnt of a server that is not known to be gone,
	// such as ErrSilent, since Listing.Taken; the rest of Listing means nothing then.
	// It is sent once, and the next change without it has what became of the server.
	Silent error
}

// Gaze is how closely a feed looks: once a second with the zero value, four
// times with Watched, and 20 times for the Visible panes that are active. Where
// it is Watched and nothing was printed, opened or closed, programs that ended,
// sizes, modes, tags, and names and titles that were given from outside are found
// with the next second, and other programs, folders and places within ten.
type Gaze struct {
	Watched bool
	Visible []core.PaneID
	// Only asks for the Visible panes alone, four times a second, and more often
	// as they are active. Whatever else happens, also to sessions and windows, is
	// then found within five seconds, and a Listing holds it as it was last seen.
	// It is for those who hear of the rest from somebody else.
	Only bool
}

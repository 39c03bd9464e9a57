package engine

import (
	"slices"
	"time"

	"cupola/core"
	"cupola/core/term"
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

// Change is the result of one poll of the server. The first poll always sends one.
type Change struct {
	Listing Listing
	// Structural is true if sessions, windows or panes came, went, moved, were
	// renamed, retitled or retagged, or a process changed or died.
	Structural bool
	// Dirty are the panes whose screens may have changed since the last Change that named
	// them. No changed pane is missing.
	Dirty []core.PaneID
	// Said are the messages that programs sent beside their screens since the last Change, in order. Engines that do
	// not receive them, such as tmux, leave it empty.
	Said []Said
	// Lost is the error of a server that has ended; Listing is then empty. It is sent once,
	// and the next change without it means that the server is back.
	Lost error
	// Silent is the error of a server that does not answer but may still run, such as
	// ErrSilent, since Listing.Taken; the rest of Listing is empty then. It is sent once,
	// and the next change without it has the new state of the server.
	Silent error
}

// Said is one message that the program of a pane sent beside its screen, such as a title or a notification.
type Said struct {
	Pane core.PaneID
	term.Event
	At time.Time
}

// Heard are the latest messages of a pane's program beside its screen. Engines that do not receive them leave it zero.
type Heard struct {
	core.Heard
	// Status is its own word for its state (OSC 7501); empty if it said none.
	Status   string
	StatusAt time.Time
}

// Focus is how closely a feed polls: once a second with the zero value, four times with
// Watched, and 20 times for the Visible panes that are active. Where the system reports
// output, a Watched feed polls once a second while there is none, and at once when there is.
// While a Watched feed sees no output and no pane opened or closed, it detects ended
// programs, sizes, modes, tags, names and titles within a second, and new programs, folders
// and places within ten.
type Focus struct {
	Watched bool
	Visible []core.PaneID
	// Only limits polling to the Visible panes, four times a second, and more often while
	// they are active. All other changes are found within five seconds, and until then a
	// Listing holds old values. It is for callers that get the other changes from another
	// process.
	Only bool
}

// Merge adds a change to the unread one, if any. It keeps the dirty panes, and what was said, unless the server was
// lost.
func Merge(unread *Change, change Change) *Change {
	if unread == nil || change.Lost != nil {
		return &change
	}
	if change.Silent != nil {
		quiet := *unread
		quiet.Silent, quiet.Listing.Taken = change.Silent, change.Listing.Taken
		return &quiet
	}
	change.Structural = change.Structural || unread.Structural || unread.Lost != nil
	change.Said = slices.Concat(unread.Said, change.Said)
	change.Said = change.Said[max(0, len(change.Said)-mostSaid):]
	dirty := make(map[core.PaneID]bool, len(unread.Dirty)+len(change.Dirty))
	for _, id := range slices.Concat(unread.Dirty, change.Dirty) {
		dirty[id] = true
	}
	change.Dirty = nil
	for i := range change.Listing.Panes {
		if id := change.Listing.Panes[i].ID; dirty[id] {
			change.Dirty = append(change.Dirty, id)
		}
	}
	return &change
}

// mostSaid bounds what is kept for a reader that does not read. The oldest goes first.
const mostSaid = 1000

// Focuses holds the newest focus that a feed has not received.
type Focuses chan Focus

// NewFocuses returns an empty one.
func NewFocuses() Focuses { return make(Focuses, 1) }

// Set replaces the focus that was not received. It never blocks.
func (f Focuses) Set(focus Focus) {
	focus.Visible = slices.Clone(focus.Visible)
	for {
		select {
		case f <- focus:
			return
		default:
		}
		select {
		case <-f:
		default:
		}
	}
}

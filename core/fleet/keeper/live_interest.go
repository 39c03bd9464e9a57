package keeper

import (
	"sync"

	"cupola/core"
	"cupola/core/engine"
)

// sharedGaze is how closely a member looks at the engine: as all who depend on it wish
// together. It outlives the change from one feed to the next. The zero value
// wishes nothing.
type sharedGaze struct {
	mu   sync.Mutex
	feed engine.Feed
	gaze engine.Focus
	// watchers counts those who look closely.
	watchers int
}

// take makes a feed the one that is looked with; only is for a member that is
// told of everything but screens.
func (a *sharedGaze) take(feed engine.Feed, only bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.feed, a.gaze.Only = feed, only
	a.look()
}

// watch adds to the number of those who look closely.
func (a *sharedGaze) watch(change int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watchers += change
	a.gaze.Watched = a.watchers > 0
	a.look()
}

// show sets the panes that are on a display.
func (a *sharedGaze) show(panes []core.PaneID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gaze.Visible = panes
	a.look()
}

// look tells the feed, if there is one; the caller holds the lock.
func (a *sharedGaze) look() {
	if a.feed != nil {
		a.feed.SetFocus(a.gaze)
	}
}

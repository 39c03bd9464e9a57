package keeper

import (
	"sync"

	"cupola/core"
	"cupola/core/engine"
)

// sharedFocus combines how closely the readers of a member watch the engine. It outlives the change from one
// feed to the next. The zero value watches nothing closely.
type sharedFocus struct {
	mu    sync.Mutex
	feed  engine.Feed
	focus engine.Focus
	// watchers counts the readers that watch closely.
	watchers int
}

// attach sets the feed to control; only is for a member that gets everything but screens from the keeper.
func (a *sharedFocus) attach(feed engine.Feed, only bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.feed, a.focus.Only = feed, only
	a.apply()
}

// watch changes the number of readers that watch closely.
func (a *sharedFocus) watch(change int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watchers += change
	a.focus.Watched = a.watchers > 0
	a.apply()
}

// show sets the panes on display.
func (a *sharedFocus) show(panes []core.PaneID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.focus.Visible = panes
	a.apply()
}

// apply passes the setting to the feed, if there is one; the caller holds the lock.
func (a *sharedFocus) apply() {
	if a.feed != nil {
		a.feed.SetFocus(a.focus)
	}
}

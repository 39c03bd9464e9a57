package keeper

import (
	"slices"

	"cupola/core"
)

// viewer is one display. Its fields are guarded by the poller's lock; wake signals new screens.
type viewer struct {
	wake    chan struct{}
	visible map[core.PaneID]bool
}

// admit adds a display without panes.
func (c *screenPoller) admit() *viewer {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &viewer{wake: make(chan struct{}, 1)}
	c.viewers[v] = true
	return v
}

func (c *screenPoller) dismiss(v *viewer) {
	c.display(v, nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.viewers, v)
}

// display sets the panes that a viewer shows.
func (c *screenPoller) display(v *viewer, panes []core.PaneID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.viewers[v] {
		return
	}
	v.visible = make(map[core.PaneID]bool, len(panes))
	for _, id := range panes {
		v.visible[id] = true
	}
	before := c.visible
	c.visible = map[core.PaneID]bool{}
	for viewer := range c.viewers {
		for id := range viewer.visible {
			c.visible[id] = true
		}
	}
	for id := range before {
		if !c.visible[id] {
			delete(c.captured, id)
			delete(c.dirty, id)
		}
	}
	var union []core.PaneID
	for id := range c.visible {
		union = append(union, id)
		if !before[id] {
			c.dirty[id] = true
		}
	}
	slices.Sort(union)
	c.focus.show(union)
	wakeUp(c.wake)
	wakeUp(v.wake)
}

// screens returns the screens of a viewer's panes that are in its snapshot and newer than the given versions,
// and the new versions.
func (c *screenPoller) screens(v *viewer, snapshot *core.Snapshot,
	has map[core.PaneID]screenVersion,
) (map[core.PaneID]core.Screen, map[core.PaneID]screenVersion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var screens map[core.PaneID]core.Screen
	then := make(map[core.PaneID]screenVersion, len(v.visible))
	for id := range v.visible {
		if snapshot.Pane(id) == nil {
			continue
		}
		had := has[id]
		then[id] = had
		if taken, ok := c.captured[id]; ok && taken.edition != had {
			if screens == nil {
				screens = map[core.PaneID]core.Screen{}
			}
			screens[id], then[id] = taken.screen, taken.edition
		}
	}
	return screens, then
}

// wakeAll signals all viewers.
func (c *screenPoller) wakeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range c.viewers {
		wakeUp(v.wake)
	}
}

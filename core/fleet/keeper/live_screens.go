package keeper

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// captureWithin limits one capture; captureAgain is the delay before a failed one is retried.
const (
	captureWithin = 5 * time.Second
	captureAgain  = 250 * time.Millisecond
)

// screenPoller captures the screens of the panes on display. It captures those that may have changed, all in
// one call.
type screenPoller struct {
	engine engine.Engine
	focus  *sharedFocus
	log    *slog.Logger
	// wake signals dirty panes.
	wake chan struct{}

	mu      sync.Mutex
	viewers map[*viewer]bool
	// visible are the panes that any viewer shows.
	visible map[core.PaneID]bool
	// dirty are the visible panes to capture.
	dirty    map[core.PaneID]bool
	captured map[core.PaneID]capturedScreen
	last     screenVersion
	// leaders are the programs of the panes, which show whether an id was reused.
	leaders map[core.PaneID]int
}

// screenVersion numbers the screens of a poller uniquely.
type screenVersion uint64

type capturedScreen struct {
	screen  core.Screen
	edition screenVersion
}

func newScreenPoller(eng engine.Engine, focus *sharedFocus, log *slog.Logger) *screenPoller {
	return &screenPoller{
		engine: eng, focus: focus, log: log, wake: make(chan struct{}, 1), viewers: map[*viewer]bool{},
		visible: map[core.PaneID]bool{}, dirty: map[core.PaneID]bool{}, captured: map[core.PaneID]capturedScreen{},
	}
}

// note handles a change of the feed.
func (c *screenPoller) note(change *engine.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if change.Lost != nil {
		clear(c.captured)
		clear(c.dirty)
		c.leaders = nil
		return
	}
	if change.Structural {
		c.identify(change.Listing.Panes)
	}
	for _, id := range change.Dirty {
		if c.visible[id] {
			c.dirty[id] = true
		}
	}
	if len(c.dirty) > 0 {
		wakeUp(c.wake)
	}
}

// identify drops the screens of panes whose id was reused.
func (c *screenPoller) identify(panes []engine.Pane) {
	before := c.leaders
	c.leaders = make(map[core.PaneID]int, len(panes))
	for i := range panes {
		id, pid := panes[i].ID, panes[i].Process.PID
		if was, known := before[id]; known && was != pid {
			delete(c.captured, id)
		}
		c.leaders[id] = pid
	}
}

// run captures until ctx ends.
func (c *screenPoller) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		asks := c.asks()
		if len(asks) == 0 {
			continue
		}
		if err := c.capture(ctx, asks); err != nil && ctx.Err() == nil {
			c.log.Debug("no screens could be captured", "error", err)
			c.missed(asks, err)
			_ = core.Sleep(ctx, captureAgain)
		}
	}
}

func (c *screenPoller) asks() []engine.Ask {
	c.mu.Lock()
	defer c.mu.Unlock()
	asks := make([]engine.Ask, 0, len(c.dirty))
	for id := range c.dirty {
		asks = append(asks, engine.Ask{Pane: id, Escapes: true})
	}
	clear(c.dirty)
	return asks
}

func (c *screenPoller) capture(ctx context.Context, asks []engine.Ask) error {
	ctx, cancel := context.WithTimeout(ctx, captureWithin)
	defer cancel()
	screens, err := c.engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	c.keep(asks, screens)
	return nil
}

// keep stores captured screens. A pane without one is gone.
func (c *screenPoller) keep(asks []engine.Ask, screens []core.Screen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gone := make(map[core.PaneID]bool, len(asks))
	for _, ask := range asks {
		gone[ask.Pane] = true
	}
	for i := range screens {
		id := screens[i].Pane
		delete(gone, id)
		if was, taken := c.captured[id]; !c.visible[id] || taken && sameScreen(&was.screen, &screens[i]) {
			continue
		}
		c.last++
		c.captured[id] = capturedScreen{screens[i], c.last}
		for v := range c.viewers {
			if v.visible[id] {
				wakeUp(v.wake)
			}
		}
	}
	for id := range gone {
		delete(c.captured, id)
	}
}

// missed schedules a failed capture again, unless there is no server: a new server makes everything dirty.
func (c *screenPoller) missed(asks []engine.Ask, err error) {
	if errors.Is(err, engine.ErrNoServer) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ask := range asks {
		if c.visible[ask.Pane] {
			c.dirty[ask.Pane] = true
		}
	}
	wakeUp(c.wake)
}

// sameScreen reports whether two screens of a pane look the same.
func sameScreen(a, b *core.Screen) bool {
	x, y := a.View, b.View
	return x.Width == y.Width && x.Height == y.Height && x.Cursor == y.Cursor && x.AlternateOn == y.AlternateOn &&
		x.InMode == y.InMode && slices.Equal(a.Lines, b.Lines)
}

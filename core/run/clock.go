package run

import (
	"sync"
	"time"
)

// Clock calls a function once the time of a run is over. The time of its pauses does not count.
type Clock struct {
	mu    sync.Mutex
	timer *time.Timer
	// left is how much time there was at since, when it was started or paused last.
	left    time.Duration
	since   time.Time
	stopped bool
	paused  time.Duration
}

// NewClock returns a clock that calls late after a time that it counts from now.
func NewClock(limit time.Duration, late func()) *Clock {
	return &Clock{timer: time.AfterFunc(limit, late), left: limit, since: time.Now()}
}

// Stop ends it.
func (c *Clock) Stop() { c.timer.Stop() }

// Pause holds it, if it runs.
func (c *Clock) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	c.timer.Stop()
	c.left -= time.Since(c.since)
	c.since, c.stopped = time.Now(), true
}

// Resume lets it run again, if it is held.
func (c *Clock) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped {
		return
	}
	c.paused += time.Since(c.since)
	c.since, c.stopped = time.Now(), false
	c.timer.Reset(max(0, c.left))
}

// Paused returns how long it was paused, a pause that has not ended included.
func (c *Clock) Paused() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return c.paused + time.Since(c.since)
	}
	return c.paused
}

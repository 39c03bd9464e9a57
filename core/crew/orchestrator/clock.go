package orchestrator

import "time"

// clock calls late once the time of a run is over; pauses do not count. It is not safe for
// concurrent use.
type clock struct {
	timer *time.Timer
	// left is how much time there was when the timer was set.
	left   time.Duration
	set    time.Time
	paused time.Duration
}

func newClock(limit time.Duration, late func()) *clock {
	return &clock{timer: time.AfterFunc(limit, late), left: limit, set: time.Now()}
}

func (c *clock) stop() { c.timer.Stop() }

func (c *clock) pause() {
	c.timer.Stop()
	c.left -= time.Since(c.set)
	c.set = time.Now()
}

func (c *clock) goOn() {
	c.paused += time.Since(c.set)
	c.set = time.Now()
	c.timer.Reset(max(0, c.left))
}

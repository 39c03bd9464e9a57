package effect

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Work returns what is known of the work of a snapshot's agents, and what forms can offer. It is called once at a
// time.
type Work func(ctx context.Context, snapshot *core.Snapshot) (map[core.PaneID]screen.Work, screen.Offers)

// The least time between two looks at the agents' work: after something happened, and while they just work.
const workEvery, workAgain = 3 * time.Second, 10 * time.Second

// works reads what is known of the agents' work, one reading at a time.
type works struct {
	of Work
	// here is a snapshot without what is on other machines.
	here func(*core.Snapshot) *core.Snapshot
	mu   sync.Mutex
	last time.Time
}

// read waits until the last look is some time ago, and looks again.
func (w *works) read(
	ctx context.Context, _ screen.WorkQuestion, asked intent.Read,
) (found screen.AllWork, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	every := workEvery
	if asked.Known {
		every = workAgain
	}
	if err := core.Sleep(ctx, every-time.Since(w.last)); err != nil {
		return found, err
	}
	w.last = time.Now()
	found.Of, found.Offers = w.of(ctx, w.here(asked.Snapshot))
	return found, nil
}

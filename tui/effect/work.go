package effect

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Work returns what is known of the work of a snapshot's agents, and what forms can offer. It is called once at a
// time.
type Work func(ctx context.Context, snapshot *core.Snapshot) (map[core.PaneID]screen.Work, screen.Offers)

// WorkRead is what is known of the agents' work.
type WorkRead struct {
	// Snapshot is the one whose agents these are.
	Snapshot *core.Snapshot
	Work     map[core.PaneID]screen.Work
	Offers   screen.Offers
}

// The least time between two looks at the agents' work: after something happened, and while they just work.
const workEvery, workAgain = 3 * time.Second, 10 * time.Second

// works reads what is known of the agents' work, one reading at a time.
type works struct {
	of   Work
	last time.Time
}

func newWorks(of Work) *works { return &works{of: of} }

// read waits until the last look is some time ago, and looks again; nil if ctx ended first.
func (w *works) read(ctx context.Context, asked intent.ReadWork) tea.Msg {
	if w.of == nil {
		return nil
	}
	every := workEvery
	if asked.Again {
		every = workAgain
	}
	if core.Sleep(ctx, every-time.Since(w.last)) != nil {
		return nil
	}
	w.last = time.Now()
	work, offers := w.of(ctx, asked.Snapshot)
	return WorkRead{Snapshot: asked.Snapshot, Work: work, Offers: offers}
}

package run

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
)

// Control is how the runs of one kind are acted on. What a kind cannot do is nil.
type Control struct {
	Kind Kind
	// Load returns a run as its record says. It returns the error of the file system, or NotFound, for an unknown id.
	Load func(ctx context.Context, id string) (Head, error)
	// Pause asks a run to start nothing more, and Resume to continue; one that no process runs continues in the
	// background.
	Pause, Resume func(ctx context.Context, id string) error
	// Unpause withdraws a requested pause that has not started; nil where runs are not paused.
	Unpause func(ctx context.Context, id string) error
	// Cancel ends a run with all that it started, and returns once that is done.
	Cancel func(ctx context.Context, id string) error
	// Events returns what happened in a run behind a cursor, and the cursor behind that; 0 is the begin.
	Events func(ctx context.Context, id string, cursor int64) ([]Event, int64, error)
	// Remove removes what is on record of a run that has ended.
	Remove func(ctx context.Context, id string) error
}

// waitEvery is how often Wait reads the record of a run.
const waitEvery = 100 * time.Millisecond

// Wait returns a run once it has ended, or the error of ctx with what is known then.
func (c *Control) Wait(ctx context.Context, id string) (Head, error) {
	for {
		h, err := c.Load(ctx, id)
		if err != nil || h.State.Ended() {
			return h, err
		}
		if err := core.Sleep(ctx, waitEvery); err != nil {
			return h, err
		}
	}
}

// Get brings a run into a state, and returns it as it is then. Conflict says that a run in its state cannot get there,
// or one of its kind never.
func (c *Control) Get(ctx context.Context, id string, into State) (Head, error) {
	h, err := c.Load(ctx, id)
	if err != nil {
		return h, err
	}
	act := map[State]func(context.Context, string) error{Paused: c.Pause, Running: c.Resume, Cancelled: c.Cancel}[into]
	switch {
	case act == nil:
		return h, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("a %s cannot be %s", c.Kind, acted[into]),
			Subject: core.Subject{Run: id},
		}
	case h.State == into && into == Running && c.Unpause != nil:
		return h, c.Unpause(ctx, id)
	case h.State == into:
		return h, nil
	case !h.State.May(into):
		return h, &core.Error{
			Code:    core.Conflict,
			Message: fmt.Sprintf("the %s %s cannot be %s: it is %s", c.Kind, id, acted[into], h.State),
			Subject: core.Subject{Run: id},
		}
	}
	if err := act(ctx, id); err != nil {
		return h, err
	}
	return c.Load(ctx, id)
}

// acted says what was done to a run that got into a state.
var acted = map[State]string{Paused: "paused", Running: "resumed", Cancelled: "cancelled"}

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cupola/core"
)

// Control is how the runs of one kind are acted on. What a kind cannot do is nil.
type Control struct {
	Kind Kind
	// Load returns a run as its record says. It returns the error of the file system, or NotFound, for an unknown id.
	Load func(ctx context.Context, id string) (Head, error)
	// Held reports whether a process runs a run.
	Held func(id string) bool
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

// Control is how the runs are acted on that the directory alone decides about: all but resuming them and their events.
func (b *Directory[T, R]) Control() *Control {
	return &Control{
		Kind: b.Of(), Held: b.Held, Remove: b.Remove,
		Load: func(_ context.Context, id string) (Head, error) {
			run, err := b.Load(id)
			if err != nil {
				return Head{}, core.FileError("read the run", err)
			}
			return run.Head(), nil
		},
		Cancel: func(ctx context.Context, id string) error {
			_, err := b.Cancel(ctx, id)
			return err
		},
	}
}

// over reports whether a run has ended and its process has released it.
func (c *Control) over(h *Head) bool { return h.State.Ended() && !c.Held(h.ID) }

// lateError is the cause of a context whose limit is over.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return "it has not ended within " + e.limit.String() }

// Within returns a context that ends after a limit; 0 is none. Wait and Get fail with Timeout then.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeoutCause(ctx, limit, &lateError{limit})
	}
	return context.WithCancel(ctx)
}

// late returns Timeout for an error after the limit of Within, and any other error as it is.
func (c *Control) late(ctx context.Context, id string, err error) error {
	if e := (*lateError)(nil); err != nil && errors.As(context.Cause(ctx), &e) {
		return core.Errorf(core.Timeout, "the %s %s has not ended within %s", c.Kind, id, e.limit)
	}
	return err
}

// Wait returns a run once it has ended, or the error of ctx with what is known then.
func (c *Control) Wait(ctx context.Context, id string) (Head, error) {
	for {
		h, err := c.Load(ctx, id)
		if err != nil || c.over(&h) {
			return h, c.late(ctx, id, err)
		}
		if err := core.Sleep(ctx, followEvery); err != nil {
			return h, c.late(ctx, id, err)
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
		return h, ErrOf(core.Conflict, id, fmt.Sprintf("a %s cannot be %s", c.Kind, acted[into]))
	case h.State == into && into == Running && c.Unpause != nil:
		return h, c.Unpause(ctx, id)
	case h.State == into:
		return h, nil
	case !h.State.May(into):
		return h, ErrOf(core.Conflict, id,
			fmt.Sprintf("the %s %s cannot be %s: it is %s", c.Kind, id, acted[into], h.State))
	}
	if err := c.act(ctx, id, act); err != nil {
		return h, err
	}
	return c.Load(ctx, id)
}

// Stop cancels a run. Conflict says that it has ended, or is cancelled already.
func (c *Control) Stop(ctx context.Context, id string) error { return c.act(ctx, id, c.Cancel) }

func (c *Control) act(ctx context.Context, id string, act func(context.Context, string) error) error {
	err := act(ctx, id)
	if e := core.AsError(err); e.HasCode(core.Conflict) && len(e.Remedies) == 0 {
		e.Remedies, e.Subject = []core.Remedy{core.RemedyShowRun}, core.Subject{Run: id}
	}
	return c.late(ctx, id, err)
}

// ErrOf makes an error about a run. Without remedies it has the command that shows the run.
func ErrOf(code core.Code, id, message string, remedies ...core.Remedy) *core.Error {
	if len(remedies) == 0 {
		remedies = []core.Remedy{core.RemedyShowRun}
	}
	return &core.Error{Code: code, Message: message, Remedies: remedies, Subject: core.Subject{Run: id}}
}

// ErrRunning makes the error of a run that has not ended.
func ErrRunning(h *Head) error {
	return ErrOf(core.Conflict, h.ID, fmt.Sprintf("the %s %s is %s", h.Kind, h.ID, h.State), core.RemedyCancelRun)
}

// acted says what was done to a run that got into a state.
var acted = map[State]string{Paused: "paused", Running: "resumed", Cancelled: "cancelled"}

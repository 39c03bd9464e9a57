package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/textfile"
)

// cancelEvery is how often a run checks whether it was cancelled.
const cancelEvery = 100 * time.Millisecond

// errCancelled ends a cancelled run.
var errCancelled = &core.Error{Code: core.Cancelled, Message: "the run was cancelled"}

// Cancel cancels a run: it signals the process that runs it, and waits until that process
// releases it or ctx ends. A running step is recorded as interrupted. Cancel returns
// Conflict for a run that has ended.
func (b Book) Cancel(ctx context.Context, id string) (*Run, error) {
	run, err := b.load(id)
	if err != nil {
		return nil, failedIO("read the run", err)
	}
	if run.State.Ended() {
		return run, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("the run %s has ended: %s", id, run.State),
			Remedies: []core.Remedy{core.RemedyShowRun}, Subject: core.Subject{Run: id},
		}
	}
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for b.held(id) {
		// A process that takes a run removes the file, so it is written repeatedly.
		if err := textfile.Put(filepath.Join(b.folder(id), cancelFile), nil); err != nil {
			return run, failedIO("cancel the run", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
	run, release, err := b.Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	if !run.State.Ended() {
		run.cutOff()
		run.State, run.Ended = Cancelled, time.Now().UTC()
		err = b.save(run)
	}
	return run, err
}

// cancellable returns a context that ends when the run is cancelled.
func (b Book) cancellable(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(cancelEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if _, err := os.Stat(filepath.Join(b.folder(id), cancelFile)); err == nil {
					cancel(errCancelled)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-gone
	}
}

// causeOf is why a context ended, in the words of this package.
func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errCancelled) {
		return cause
	}
	return ctx.Err()
}

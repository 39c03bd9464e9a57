package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/system/textfile"
)

// cancelEvery is how often a run checks whether it was cancelled.
const cancelEvery = 100 * time.Millisecond

// errCancelled is the cause of a context that ended because its run was cancelled.
var errCancelled = &core.Error{Code: core.Cancelled, Message: "the run was cancelled"}

// Cancel asks the process that runs a run to stop, waits until it releases the run, and takes it.
// It returns what releases it. The record may say that the run ended before it was asked.
func (b *Book[T, R]) Cancel(ctx context.Context, id string) (run R, release func(), err error) {
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for b.Held(id) {
		// A process that takes a run removes the file, so it is written repeatedly.
		if err := textfile.Put(filepath.Join(b.Folder(id), cancelFile), nil); err != nil {
			return nil, nil, b.failed("cancel the "+b.Noun, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return b.Take(ctx, id)
}

// Cancellable returns a context that ends when the run is cancelled, and what ends the watch.
func (b *Book[T, R]) Cancellable(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(cancelEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if _, err := os.Stat(filepath.Join(b.Folder(id), cancelFile)); err == nil {
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

// CauseOf is why a context ended, in the words of this package.
func CauseOf(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errCancelled) {
		return cause
	}
	return ctx.Err()
}

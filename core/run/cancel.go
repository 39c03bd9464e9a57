package run

import (
	"context"
	"errors"
	"io/fs"
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

// Cancel cancels a run: it asks the process that runs it to stop, and waits until that releases the run, or ctx ends.
// It returns the record, which may say that the run ended before it was asked. Conflict says that it had ended.
func (b *Directory[T, R]) Cancel(ctx context.Context, id string) (R, error) {
	run, err := b.Load(id)
	if err != nil {
		return nil, core.FileError("read the "+b.Noun, err)
	}
	if state := run.Head().State; !state.May(Cancelled) {
		return run, ErrOf(core.Conflict, id, "the "+b.Noun+" "+id+" has ended: "+string(state))
	}
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for b.Held(id) {
		// A process that takes a run removes the file, so it is written repeatedly.
		if err := textfile.Put(filepath.Join(b.Folder(id), cancelFile), nil); err != nil {
			return run, failed("cancel the "+b.Noun, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
	taken, release, err := b.Take(ctx, id)
	if err != nil {
		return run, err
	}
	defer release()
	if err := b.Unpause(id); err != nil || !taken.Head().State.May(Cancelled) {
		return taken, err
	}
	taken.Cancel(time.Now().UTC()) // its process was killed, or could not record its end
	return taken, b.Save(taken)
}

// Cancellable returns a context that ends when the run is cancelled, and what ends the watch.
func (b *Directory[T, R]) Cancellable(ctx context.Context, id string) (context.Context, func()) {
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

// Pause asks a run to pause until Unpause is called. What works keeps working until its turn ends.
func (b *Directory[T, R]) Pause(id string) error {
	if err := textfile.Put(filepath.Join(b.Folder(id), pauseFile), nil); err != nil {
		return core.FileError("pause the "+b.Noun, err)
	}
	return nil
}

// Unpause ends the pause of a run; one without a pause stays as it is.
func (b *Directory[T, R]) Unpause(id string) error {
	if err := os.Remove(filepath.Join(b.Folder(id), pauseFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.FileError("end the pause of the "+b.Noun, err)
	}
	return nil
}

// Paused reports whether a run was asked to pause.
func (b *Directory[T, R]) Paused(id string) bool {
	_, err := os.Lstat(filepath.Join(b.Folder(id), pauseFile))
	return err == nil
}

package rundir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockEvery is how often LockLaunch retries.
const lockEvery = 10 * time.Millisecond

// LockLaunch keeps other processes from assigning the same ordinals and names until release is called.
// Without a usable runtime directory it locks nothing. It waits at most limit for another process, then
// returns Timeout; 0 is two minutes.
func (d *Dir) LockLaunch(ctx context.Context, limit time.Duration) (release func(), err error) {
	nothing := func() {}
	files, err := d.Files(ctx)
	if err != nil || files.None() {
		return nothing, err
	}
	if err := files.Prepare(); err != nil {
		d.log.Warn("numbers are given without a lock", "error", err)
		return nothing, nil
	}
	path := filepath.Join(files.Folder, "launch.lock")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	err = awaitLock(ctx, path, "making panes", patienceOf(limit, launchHeldWait), func(ctx context.Context) error {
		_, err := lock.TryLockContext(ctx, lockEvery)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nothing, ctx.Err()
	case errors.Is(err, ErrHeld):
		return nothing, err
	case err != nil:
		d.log.Warn("numbers are given without a lock", "error", err)
		return nothing, nil
	}
	signLock(path, d.now())
	return func() {
		if err := lock.Unlock(); err != nil {
			d.log.Warn("release the launch lock", "error", err)
		}
	}, nil
}

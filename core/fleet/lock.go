package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockEvery is how often somebody who waits for the launch lock tries again.
const lockEvery = 10 * time.Millisecond

// hold keeps other processes from giving the same ordinals and names until
// release is called. Without a runtime folder, or where it cannot be used, it
// holds nothing. It waits for another process for limit at most, and returns
// Timeout then; 0 is launchHeldWait.
func (o *observer) hold(ctx context.Context, limit time.Duration) (release func(), err error) {
	nothing := func() {}
	if o.runtime == "" {
		return nothing, nil
	}
	info, err := o.server(ctx)
	if err != nil {
		return nothing, err
	}
	s := seatOf(o.runtime, info)
	if err := s.prepare(); err != nil {
		o.log.Warn("numbers are given without a lock", "error", err)
		return nothing, nil
	}
	path := filepath.Join(s.folder, "launch.lock")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	err = awaitLock(ctx, path, "making panes", patienceOf(limit, launchHeldWait), func(ctx context.Context) error {
		_, err := lock.TryLockContext(ctx, lockEvery)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nothing, ctx.Err()
	case errors.Is(err, errHeld):
		return nothing, err
	case err != nil:
		o.log.Warn("numbers are given without a lock", "error", err)
		return nothing, nil
	}
	signLock(path, o.now())
	return func() {
		if err := lock.Unlock(); err != nil {
			o.log.Warn("release the launch lock", "error", err)
		}
	}, nil
}

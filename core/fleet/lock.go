package fleet

import (
	"context"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockEvery is how often somebody who waits for the launch lock tries again.
const lockEvery = 10 * time.Millisecond

// hold keeps other processes from giving the same ordinals and names until
// release is called. Without a runtime folder, or where it cannot be used, it
// holds nothing.
func (o *observer) hold(ctx context.Context) (release func(), err error) {
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
	lock := flock.New(filepath.Join(s.folder, "launch.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockEvery); err != nil {
		if ctx.Err() != nil {
			return nothing, ctx.Err()
		}
		o.log.Warn("numbers are given without a lock", "error", err)
		return nothing, nil
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			o.log.Warn("release the launch lock", "error", err)
		}
	}, nil
}

package rundir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
)

// lockEvery is how often a lock is tried.
const lockEvery = 10 * time.Millisecond

// LockLaunch keeps other processes from assigning the same ordinals and names until release is called.
// Without a usable runtime directory it locks nothing. It waits at most limit for another process, then
// returns Timeout; 0 is two minutes.
func (d *Dir) LockLaunch(ctx context.Context, limit time.Duration) (release func(), err error) {
	return d.lockAll(ctx, "launch.lock", "making panes", patienceOf(limit, launchHeldWait))
}

// LockStart keeps others, also of this process, from starting agents of a kind until release is called. It waits at
// most five minutes, and is otherwise like LockLaunch.
func (d *Dir) LockStart(ctx context.Context, kind core.Kind) (release func(), err error) {
	return d.lockAll(ctx, "start-"+string(kind)+".lock", "starting "+string(kind), startHeldWait)
}

// LockRestore keeps others, also of this process, from starting again what ran until release is called. It waits at
// most five minutes, and is otherwise like LockLaunch.
func (d *Dir) LockRestore(ctx context.Context) (release func(), err error) {
	return d.lockAll(ctx, "restore.lock", "restoring", startHeldWait)
}

// lockAll locks a file of the runtime directory. what is the operation that others wait for.
func (d *Dir) lockAll(ctx context.Context, name, what string, limit time.Duration) (release func(), err error) {
	nothing := func() {}
	files, err := d.Files(ctx)
	if err != nil || files.None() {
		return nothing, err
	}
	if err := files.Prepare(); err != nil {
		d.log.Warn("other processes are not kept from "+what, "error", err)
		return nothing, nil
	}
	path := filepath.Join(files.Folder, name)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	err = awaitLock(ctx, path, what, limit, func(ctx context.Context) error {
		_, err := lock.TryLockContext(ctx, lockEvery)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nothing, ctx.Err()
	case errors.Is(err, ErrHeld):
		return nothing, err
	case err != nil:
		d.log.Warn("other processes are not kept from "+what, "error", err)
		return nothing, nil
	}
	signLock(path, d.now())
	return func() {
		if err := lock.Unlock(); err != nil {
			d.log.Warn("release a lock", "file", name, "error", err)
		}
	}, nil
}

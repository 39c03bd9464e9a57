package rundir

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
)

// processLocks holds the panes that this process types into without a lock file.
var processLocks localLocks

// localLocks are mutexes by name: channels that are closed when they are unlocked.
type localLocks struct{ held sync.Map }

// enter waits for the mutex of a name and returns its unlock function.
func (t *localLocks) enter(ctx context.Context, name string) (leave func(), err error) {
	gone := make(chan struct{})
	for {
		before, taken := t.held.LoadOrStore(name, gone)
		if !taken {
			return func() {
				t.held.Delete(name)
				close(gone)
			}, nil
		}
		select {
		case <-before.(chan struct{}): //nolint:errcheck // the map has no other values
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// PaneLock prevents other Cupola processes from typing into a pane until Release is called.
type PaneLock struct {
	Release func()
	// Note is the reason why the lock covers only this process; empty if it covers all.
	Note string
	// Orphaned is true if the previous holder ended without releasing the lock, and may have left partial
	// input.
	Orphaned bool
}

// LockPane locks a pane. It waits at most limit for another process that types there, then returns a Timeout
// that names it; 0, and more than 45 s, is 45 s. Without a usable runtime directory the lock covers only this
// process.
func (d *Dir) LockPane(ctx context.Context, pane *core.Pane, limit time.Duration) (*PaneLock, error) {
	info, err := d.Server(ctx)
	if err != nil {
		return nil, err
	}
	limit = patienceOf(limit, paneHeldWait)
	what, name := "typing into pane "+pane.Address(), info.Socket+" "+string(pane.ID)
	files := d.FilesOf(info)
	if files.None() {
		why := "there is no runtime folder"
		if files.Barred != nil {
			why = files.Barred.Error()
		}
		return processLocks.hold(ctx, name, what, limit, why)
	}
	if err := files.Prepare(); err != nil {
		return processLocks.hold(ctx, name, what, limit, err.Error())
	}
	path := strings.TrimSuffix(files.lock, ".lock") + "-type-" + strings.TrimPrefix(string(pane.ID), "%") + ".lock"
	held := &PaneLock{}
	err = awaitLock(ctx, path, what, limit, func(ctx context.Context) (err error) {
		held.Release, held.Orphaned, err = lockFile(ctx, path, d.now())
		return err
	})
	switch {
	case err == nil:
		return held, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, ErrHeld):
		return nil, err
	}
	return processLocks.hold(ctx, name, what, limit, err.Error())
}

// hold locks a pane within this process only, for the reason why.
func (t *localLocks) hold(ctx context.Context, name, what string, limit time.Duration, why string) (*PaneLock, error) {
	held := &PaneLock{Note: "other processes were not kept from typing: " + why}
	err := awaitLock(ctx, "", what, limit, func(ctx context.Context) (err error) {
		held.Release, err = t.enter(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}

// lockFile acquires a lock that ends with this process at the latest, signs its file, and removes the file on
// release. Orphaned is true if a process that signed it ended without releasing it.
func lockFile(ctx context.Context, path string, now time.Time) (release func(), orphaned bool, err error) {
	for {
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
		if _, err := lock.TryLockContext(ctx, lockEvery); err != nil {
			return nil, false, err
		}
		// The previous holder removed the file, and others lock a new one.
		if !(Files{lock: path}).Holds(lock) {
			if err := lock.Unlock(); err != nil {
				return nil, false, err
			}
			continue
		}
		_, orphaned = readLock(path)
		signLock(path, now)
		return func() {
			os.Remove(path) //nolint:errcheck // one that is left over is locked again
			lock.Unlock()   //nolint:errcheck // it ends with the process
		}, orphaned, nil
	}
}

package fleet

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

// typists are the panes that this process types into without a lock that other
// processes see.
var typists = turnstile{held: map[string]chan struct{}{}}

// turnstile lets one in at a time for each name.
type turnstile struct {
	mu   sync.Mutex
	held map[string]chan struct{}
}

// enter waits for its turn and returns what ends it.
func (t *turnstile) enter(ctx context.Context, name string) (leave func(), err error) {
	for {
		t.mu.Lock()
		before, taken := t.held[name]
		if !taken {
			gone := make(chan struct{})
			t.held[name] = gone
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.held, name)
				t.mu.Unlock()
				close(gone)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// paneLock keeps every other Cupola from typing into a pane until it is
// released.
type paneLock struct {
	release func()
	// note says why only this process is kept from it; empty if all are.
	note string
	// orphaned is true where the process that held the lock before ended without
	// releasing it, and may have left half of what it typed.
	orphaned bool
}

// holdPane takes the lock of a pane. It waits for who types there for limit at
// most, and returns a Timeout that names it then; 0, and what is more than
// paneHeldWait, are paneHeldWait. Where the runtime folder cannot be used, only
// this process is kept from typing.
func (f *Fleet) holdPane(ctx context.Context, pane *core.Pane, limit time.Duration) (*paneLock, error) {
	info, err := f.server(ctx)
	if err != nil {
		return nil, err
	}
	limit = patienceOf(limit, paneHeldWait)
	what, name := "typing into pane "+pane.Address(), info.Socket+" "+string(pane.ID)
	s := seatOf(f.runtime, info)
	if s.none() {
		why := "there is no runtime folder"
		if f.barred != nil {
			why = f.barred.Error()
		}
		return typists.hold(ctx, name, what, limit, why)
	}
	if err := s.prepare(); err != nil {
		return typists.hold(ctx, name, what, limit, err.Error())
	}
	path := strings.TrimSuffix(s.lock, ".lock") + "-type-" + strings.TrimPrefix(string(pane.ID), "%") + ".lock"
	held := &paneLock{}
	err = awaitLock(ctx, path, what, limit, func(ctx context.Context) (err error) {
		held.release, held.orphaned, err = lockFile(ctx, path, f.now())
		return err
	})
	switch {
	case err == nil:
		return held, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errHeld):
		return nil, err
	}
	return typists.hold(ctx, name, what, limit, err.Error())
}

// hold keeps only this process from typing into a pane, for the reason why.
func (t *turnstile) hold(ctx context.Context, name, what string, limit time.Duration, why string) (*paneLock, error) {
	held := &paneLock{note: "other processes were not kept from typing: " + why}
	err := awaitLock(ctx, "", what, limit, func(ctx context.Context) (err error) {
		held.release, err = t.enter(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}

// lockFile takes a lock that ends with this process at the latest, signs its
// file, and removes the file when it is released. Orphaned is true where a process
// that signed it ended without that.
func lockFile(ctx context.Context, path string, now time.Time) (release func(), orphaned bool, err error) {
	for {
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
		if _, err := lock.TryLockContext(ctx, lockEvery); err != nil {
			return nil, false, err
		}
		// Whoever held it before removed the file, and others lock a new one.
		if !(seat{lock: path}).holds(lock) {
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

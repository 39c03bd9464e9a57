package fleet

import (
	"context"
	"os"
	"strings"
	"sync"

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

// holdPane keeps every other Cupola from typing into a pane until release is
// called. Where the runtime folder cannot be used, only this process is kept
// from it, and note says so.
func (f *Fleet) holdPane(ctx context.Context, pane core.PaneID) (release func(), note string, err error) {
	info, err := f.server(ctx)
	if err != nil {
		return nil, "", err
	}
	s := seatOf(f.runtime, info)
	if s.none() {
		note = "there is no runtime folder"
	} else if err := s.prepare(); err != nil {
		note = err.Error()
	}
	if note != "" {
		release, err = typists.enter(ctx, info.Socket+" "+string(pane))
		return release, "other processes were not kept from typing: " + note, err
	}
	path := strings.TrimSuffix(s.lock, ".lock") + "-type-" + strings.TrimPrefix(string(pane), "%") + ".lock"
	release, err = lockFile(ctx, path)
	if err == nil {
		return release, "", nil
	}
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	release, enterErr := typists.enter(ctx, info.Socket+" "+string(pane))
	return release, "other processes were not kept from typing: " + err.Error(), enterErr
}

// lockFile takes a lock that ends with this process at the latest, and removes
// its file when it is released.
func lockFile(ctx context.Context, path string) (release func(), err error) {
	for {
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		if _, err := lock.TryLockContext(ctx, lockEvery); err != nil {
			return nil, err
		}
		// Whoever held it before removed the file, and others lock a new one.
		if !(seat{lock: path}).holds(lock) {
			if err := lock.Unlock(); err != nil {
				return nil, err
			}
			continue
		}
		return func() {
			os.Remove(path) //nolint:errcheck // one that is left over is locked again
			lock.Unlock()   //nolint:errcheck // it ends with the process
		}, nil
	}
}

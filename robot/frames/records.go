package frames

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

const (
	// keepFor is how long an answer is kept for a caller that lost its link, and awaitEvery how often the end of a call
	// that another process still answers is awaited.
	keepFor    = 24 * time.Hour
	awaitEvery = 50 * time.Millisecond
)

// Records keeps the answers of calls that act, each under its key, in a folder. A call that began has a file KEY.call,
// which is locked while it runs; one that ended has KEY.json.
type Records struct{ Dir string }

// Record is a call with a key. Answer is nil if it was not made before.
type Record struct {
	Answer *host.Response

	path string
	lock *flock.Flock
}

// keyLeast and keyMost bound the length of keys.
const keyLeast, keyMost = 8, 64

// isKey reports whether a text can be a key, which is part of a file's name.
func isKey(text string) bool {
	return len(text) >= keyLeast && len(text) <= keyMost && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// Begin returns the record of a key, with its answer if the call was made before; it waits for one that is being made.
// A call that began and was cut off is Conflict: how far it came is unknown.
func (r Records) Begin(ctx context.Context, name string) (*Record, error) {
	if !isKey(name) {
		return nil, core.Errorf(core.InvalidInput, "a call has the key %q", core.Cut(name))
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return nil, core.FileError("make the folder of calls", err)
	}
	r.prune()
	began := filepath.Join(r.Dir, name+".call")
	own := &Record{path: filepath.Join(r.Dir, name+".json"), lock: flock.New(began, flock.SetPermissions(0o600))}
	if _, err := own.lock.TryLockContext(ctx, awaitEvery); err != nil {
		return nil, core.Errorf(core.IOError, "lock the record of a call: %w", err)
	}
	text, err := plainfile.Read(own.path, plainfile.Record)
	switch {
	case err == nil:
		own.Answer = &host.Response{}
		err = json.Unmarshal(text, own.Answer)
	case errors.Is(err, fs.ErrNotExist):
		if err = own.mark(began); err == nil {
			return own, nil
		}
	}
	_ = own.lock.Unlock()
	if err != nil {
		return nil, core.AsError(err)
	}
	return own, nil
}

// mark notes that the call begins. One that is marked and has no answer was cut off.
func (r *Record) mark(path string) error {
	if info, err := os.Lstat(path); err != nil || info.Size() > 0 {
		return core.Errorf(core.Conflict, "what was asked began and was cut off before its end")
	}
	if err := os.WriteFile(path, []byte("begun\n"), 0o600); err != nil {
		return core.FileError("keep the record of a call", err)
	}
	return nil
}

// End keeps the answer of a call.
func (r *Record) End(answer *host.Response) error {
	defer func() { _ = r.lock.Unlock() }()
	return textfile.WriteJSON(r.path, answer)
}

// prune removes what is older than keepFor.
func (r Records) prune() {
	files, err := os.ReadDir(r.Dir)
	if err != nil {
		return
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > keepFor {
			_ = os.Remove(filepath.Join(r.Dir, file.Name()))
		}
	}
}

// watch sends what changes until the call is cancelled. Frames that a slow link has not taken are merged.
func (c *serving) watch(ctx context.Context, call *open, request *host.Request) error {
	if c.server.Watch == nil {
		return core.Errorf(core.PermissionDenied, "nothing can be watched here")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := c.server.Watch(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		for range live.Frames {
		}
	}()
	greeted := false
	for {
		select {
		case frame, more := <-live.Frames:
			if !more {
				return live.Err()
			}
			picture := &host.Picture{Snapshot: frame.Snapshot, Screens: map[core.PaneID]*core.Screen{}}
			if request.ScreensOnly {
				picture.Snapshot = nil
				if greeted && len(frame.Screens) == 0 {
					continue
				}
			}
			greeted = true // the first one, which names the call, comes in any case
			for pane, screen := range frame.Screens {
				picture.Screens[pane] = &screen
			}
			if err := c.write(host.Response{ID: request.ID, Picture: picture}); err != nil {
				return core.Errorf(core.IOError, "send a picture: %w", err)
			}
		case panes := <-call.looks:
			live.Display(panes)
		case <-ctx.Done():
			return nil
		}
	}
}

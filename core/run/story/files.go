package story

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Files changes files of tasks and designs. All processes of a user must have the same locks.
type Files struct {
	// Locks is the folder of the lock files; it is made when needed.
	Locks string
}

// How long a lock is waited for, how often it is tried, and how often a change is planned anew if a program that takes
// no lock changed the file meanwhile.
const (
	lockWait  = 20 * time.Second
	lockEvery = 5 * time.Millisecond
	replans   = 10
)

// Tick marks one task of a file, by its exact id, as done or not, and returns what the file then holds, as ReadTasks
// does. A task that is so already leaves the file as it is. It returns NotFound if there is no file, TaskNotFound,
// ChangeLocked if other processes hold the file for long, Cancelled if the context ends, and PermissionDenied or
// IOError.
func (f Files) Tick(ctx context.Context, path, id string, done bool) (*Change, error) {
	var c *Change
	err := f.change(ctx, path, func(path string) (*textfile.Change, error) {
		text, err := readTasks(path)
		if err != nil {
			return nil, err
		}
		c = tasksOf(path, text)
		_, task, err := c.FindTask(id, "")
		if err != nil || task.Done == done {
			return nil, err
		}
		after := tick(text, task.Line, done)
		c = tasksOf(path, after)
		return &textfile.Change{File: path, Before: text, After: after}, nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// tick returns a text with the task of a line, counted from 1, marked as done or not.
func tick(text []byte, line int, done bool) []byte {
	lines := splitLines(text)
	if b, ok := readBox(lines[line-1]); ok {
		lines[line-1] = setMark(lines[line-1], &b, done)
	}
	return bytes.Join(lines, []byte("\n"))
}

// readTasks returns what a file of tasks holds. It returns NotFound if there is none.
func readTasks(path string) ([]byte, error) {
	text, err := textfile.Read(path)
	if err == nil && text == nil {
		return nil, core.Errorf(core.NotFound, "there is no file %s", path)
	}
	return text, err
}

// change changes a file under its lock. A plan of nil changes nothing.
func (f Files) change(ctx context.Context, path string, plan func(path string) (*textfile.Change, error)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return core.FileError("change a file", err)
	}
	release, err := f.lock(ctx, path)
	if err != nil {
		return err
	}
	defer release()
	for range replans {
		planned, failed := plan(path)
		if failed != nil || planned == nil {
			return failed
		}
		if err = planned.Apply(); !core.AsError(err).HasCode(core.Conflict) {
			return err
		}
	}
	return err
}

// lock takes the lock of a file, which need not exist.
func (f Files) lock(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(f.Locks, 0o700); err != nil {
		return nil, core.FileError("make the folder of the locks", err)
	}
	key := sha256.Sum256([]byte(plainfile.Real(path)))
	lock := flock.New(filepath.Join(f.Locks, hex.EncodeToString(key[:16])+".lock"),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	limited, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	taken, err := lock.TryLockContext(limited, lockEvery)
	switch {
	case taken:
		return func() { _ = lock.Unlock() }, nil
	case ctx.Err() != nil:
		return nil, core.Errorf(core.Cancelled, "wait for the lock of %s: %w", path, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return nil, core.Errorf(core.ChangeLocked, "other processes hold the lock of %s", path)
	}
	return nil, core.FileError("lock "+path, err)
}

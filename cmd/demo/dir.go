package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/system/process"
)

const (
	// folderPrefix begins the names of the folders of all demos.
	folderPrefix = "cupola-demo-"
	// lockName is in the directory of every demo; the process that runs it holds the lock.
	lockName = "demo.lock"
	// keptName is in the directory of a demo that no process runs.
	keptName = "kept"
	// maxSocketPath is the longest socket path that both systems take.
	maxSocketPath = 103
	// maxTries is how often another process may remove a new directory as a leftover.
	maxTries = 10
)

// demoDir is the directory of one demo.
type demoDir struct {
	folder string
	lock   *flock.Flock // nil if this process does not hold it
}

func (d *demoDir) socket() string          { return filepath.Join(d.folder, "tmux") }
func (d *demoDir) path(name string) string { return filepath.Join(d.folder, name) }

// newDemoDir makes a directory and locks it.
func newDemoDir(temp string) (*demoDir, error) {
	temp, err := filepath.Abs(temp)
	if err != nil {
		return nil, folderError(err)
	}
	for range maxTries {
		folder, err := os.MkdirTemp(temp, folderPrefix)
		if err != nil {
			return nil, folderError(err)
		}
		d := &demoDir{folder: folder}
		if len(d.socket()) > maxSocketPath {
			return nil, errors.Join(socketPathError(temp), os.Remove(folder))
		}
		// By now another process may have taken the directory for a leftover.
		taken, err := d.tryLock(os.O_CREATE)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, folderError(err)
		}
		if taken {
			return d, nil
		}
	}
	return nil, core.Errorf(core.IOError, "the folders that are made in %s go away again", temp)
}

func socketPathError(temp string) error {
	return &core.Error{
		Code: core.IOError, Message: fmt.Sprintf("the folder %s makes a socket path over %d bytes", temp,
			maxSocketPath),
		Hint: "Set TMPDIR to a shorter folder.",
	}
}

// tryLock takes the lock, unless another process holds it. With os.O_CREATE it makes the
// lock's file; without, a missing one is an fs.ErrNotExist.
func (d *demoDir) tryLock(create int) (taken bool, err error) {
	path := d.path(lockName)
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|create), flock.SetPermissions(0o600))
	if taken, err = lock.TryLock(); err != nil || !taken {
		return false, err
	}
	held, heldErr := lock.Stat()
	there, thereErr := os.Stat(path)
	if heldErr != nil || thereErr != nil || !os.SameFile(held, there) {
		return false, lock.Unlock()
	}
	d.lock = lock
	return true, nil
}

// release unlocks the directory. The end of the process does it, too.
func (d *demoDir) release() {
	if d.lock != nil {
		_ = d.lock.Unlock()
		d.lock = nil
	}
}

// keep marks the demo as one that stays up without a process.
func (d *demoDir) keep() error {
	if err := os.WriteFile(d.path(keptName), nil, 0o600); err != nil {
		return folderError(err)
	}
	return nil
}

func (d *demoDir) kept() bool {
	_, err := os.Stat(d.path(keptName))
	return err == nil
}

// serverUp reports whether the demo's server runs, or may.
func (d *demoDir) serverUp(ctx context.Context) bool {
	_, err := listener(ctx, d.socket())
	return !errors.Is(err, process.ErrGone)
}

// listDirs returns the directories in temp that may be those of demos: this user's, and
// closed to all others.
func listDirs(temp string) ([]*demoDir, error) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return nil, folderError(err)
	}
	var found []*demoDir
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), folderPrefix) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			continue
		}
		if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) == os.Geteuid() {
			found = append(found, &demoDir{folder: filepath.Join(temp, entry.Name())})
		}
	}
	return found, nil
}

// findKept returns a demo that is kept and up; nil if there is none.
func findKept(ctx context.Context, temp string) *demoDir {
	found, err := listDirs(temp)
	if err != nil {
		return nil
	}
	for _, d := range found {
		if d.kept() && d.serverUp(ctx) {
			return d
		}
	}
	return nil
}

// folderError wraps the error of a demo's folder, or of a file in it.
func folderError(err error) error { return core.Errorf(core.IOError, "the demo's folder: %w", err) }

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
	"cupola/core/process"
)

const (
	// folderPrefix begins the names of the folders of all demos.
	folderPrefix = "cupola-demo-"
	// lockName is in a folder that a demo made; whoever runs it holds the lock.
	lockName = "demo.lock"
	// keptName is in the folder of a demo that belongs to nobody.
	keptName = "kept"
	// maxSocketPath is the longest socket path that both systems take.
	maxSocketPath = 103
	// tries is how often a new folder may be lost to somebody who tidies up.
	tries = 10
)

// stage is the folder of one demo.
type stage struct {
	folder string
	lock   *flock.Flock // nil if this process does not hold it
}

func (s *stage) socket() string          { return filepath.Join(s.folder, "tmux") }
func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

// newStage makes a folder and holds its lock.
func newStage(temp string) (*stage, error) {
	temp, err := filepath.Abs(temp)
	if err != nil {
		return nil, broken(err)
	}
	for range tries {
		folder, err := os.MkdirTemp(temp, folderPrefix)
		if err != nil {
			return nil, broken(err)
		}
		s := &stage{folder: folder}
		if len(s.socket()) > maxSocketPath {
			return nil, errors.Join(tooLong(temp), os.Remove(folder))
		}
		// Between these two somebody may have taken the folder for a leftover.
		taken, err := s.take(os.O_CREATE)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, broken(err)
		}
		if taken {
			return s, nil
		}
	}
	return nil, core.Errorf(core.IOError, "the folders that are made in %s go away again", temp)
}

func tooLong(temp string) error {
	return &core.Error{
		Code: core.IOError, Message: fmt.Sprintf("the folder %s makes a socket path over %d bytes", temp,
			maxSocketPath),
		Hint: "Set TMPDIR to a shorter folder.",
	}
}

// take takes the lock, unless somebody holds it. With os.O_CREATE it makes the
// lock's file; without, a missing one is an fs.ErrNotExist.
func (s *stage) take(create int) (taken bool, err error) {
	path := s.path(lockName)
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|create), flock.SetPermissions(0o600))
	if taken, err = lock.TryLock(); err != nil || !taken {
		return false, err
	}
	held, heldErr := lock.Stat()
	there, thereErr := os.Stat(path)
	if heldErr != nil || thereErr != nil || !os.SameFile(held, there) {
		return false, lock.Unlock()
	}
	s.lock = lock
	return true, nil
}

// release gives the lock back. The process's end does it, too.
func (s *stage) release() {
	if s.lock != nil {
		_ = s.lock.Unlock()
		s.lock = nil
	}
}

// keep leaves the demo to nobody.
func (s *stage) keep() error {
	if err := os.WriteFile(s.path(keptName), nil, 0o600); err != nil {
		return broken(err)
	}
	return nil
}

func (s *stage) kept() bool {
	_, err := os.Stat(s.path(keptName))
	return err == nil
}

// up reports whether the demo's server runs, or may.
func (s *stage) up(ctx context.Context) bool {
	_, err := listener(ctx, s.socket())
	return !errors.Is(err, process.ErrGone)
}

// stages are the folders in temp that may be those of demos: this user's, and
// closed to all others.
func stages(temp string) ([]*stage, error) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return nil, broken(err)
	}
	var found []*stage
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), folderPrefix) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			continue
		}
		if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) == os.Geteuid() {
			found = append(found, &stage{folder: filepath.Join(temp, entry.Name())})
		}
	}
	return found, nil
}

// standing is a demo that is kept and up; nil if there is none.
func standing(ctx context.Context, temp string) *stage {
	found, err := stages(temp)
	if err != nil {
		return nil
	}
	for _, s := range found {
		if s.kept() && s.up(ctx) {
			return s
		}
	}
	return nil
}

// broken is the error of a folder or file that does not do as it should.
func broken(err error) error { return core.Errorf(core.IOError, "the demo's folder: %w", err) }

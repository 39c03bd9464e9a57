// Package disk says how full file systems are. It keeps nothing and writes
// nothing.
package disk

import (
	"fmt"
	"path/filepath"
	"syscall"
)

// Space is the size of a file system and its free part, in bytes.
type Space struct {
	// Free is the space that this user may still write, Total the size of the filesystem, both in bytes.
	Free, Total uint64
}

// Percent returns the free part in percent, rounded down; 100 if Total is 0.
func (s Space) Percent() int {
	if s.Total == 0 {
		return 100
	}
	return int(100 * (float64(s.Free) / float64(s.Total)))
}

// Of returns the space of the file system that holds a path, which need not exist
// yet.
func Of(path string) (Space, error) {
	for {
		var stat syscall.Statfs_t
		err := syscall.Statfs(path, &stat)
		if err == nil {
			size := uint64(stat.Bsize) //nolint:gosec // its type differs between systems, and none is negative
			return Space{Free: stat.Bavail * size, Total: stat.Blocks * size}, nil
		}
		parent := filepath.Dir(path)
		if parent == path {
			return Space{}, fmt.Errorf("space of %s: %w", path, err)
		}
		path = parent
	}
}

// Package disk says how full file systems are, and which are of other machines. It keeps nothing and writes
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
	stat, err := nearest(path)
	if err != nil {
		return Space{}, fmt.Errorf("space of %s: %w", path, err)
	}
	size := uint64(stat.Bsize) //nolint:gosec // its type differs between systems, and none is negative
	return Space{Free: stat.Bavail * size, Total: stat.Blocks * size}, nil
}

// Network returns the name of the network file system that holds a path, which need not exist yet; empty for a local
// one and where that is not known.
func Network(path string) string {
	stat, err := nearest(path)
	if err != nil {
		return ""
	}
	return network(&stat)
}

// nearest returns the facts about the file system of a path or, where it does not exist, of the nearest folder above.
func nearest(path string) (stat syscall.Statfs_t, err error) {
	for {
		err := syscall.Statfs(path, &stat)
		parent := filepath.Dir(path)
		if err == nil || parent == path {
			return stat, err
		}
		path = parent
	}
}

// Package fileevent reports that programs wrote to files or that folders have other entries, so that callers need not
// poll. Linux reports this, also of terminals; on other systems New returns an error and callers poll.
package fileevent

import (
	"errors"
	"os"
	"sync"
)

// ErrUnsupported is the error of New where the system reports nothing.
var ErrUnsupported = errors.New("the system reports no events of files")

// Watcher reports events of files and folders. It has a goroutine until it is closed.
type Watcher struct {
	descriptor int
	file       *os.File
	// events has a token if something happened since it was received last.
	events chan struct{}

	mu sync.Mutex
	// numbers holds the system's number of each watched file, and paths the path of each number, of folders too. A file
	// is dropped from both by its first event.
	numbers map[string]int32
	paths   map[int32]string
}

// Events delivers a token after something happened. It is closed with the watcher.
func (w *Watcher) Events() <-chan struct{} { return w.events }

// WatchFiles replaces the files that are watched. Each is watched until its first event: a program wrote to it, a
// program that could write closed it, or it was removed. A file that is watched already keeps its watch. After an
// error, some of the files are not watched.
func (w *Watcher) WatchFiles(paths []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := make(map[string]bool, len(paths))
	var failed error
	for _, path := range paths {
		wanted[path] = true
		if _, watched := w.numbers[path]; !watched && failed == nil {
			failed = w.watchFile(path)
		}
	}
	for path := range w.numbers {
		if !wanted[path] {
			w.forget(path)
		}
	}
	return failed
}

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
	// files and folders have a token each if something happened since it was received last.
	files, folders chan struct{}

	mu sync.Mutex
	// numbers holds the system's number of each watched file, and paths the path of each number, of folders too. The
	// first event of a path drops it.
	numbers map[string]int32
	paths   map[int32]string
}

// Files delivers a token after something happened to a watched file. It is closed with the watcher.
func (w *Watcher) Files() <-chan struct{} { return w.files }

// Folders is Files for watched folders.
func (w *Watcher) Folders() <-chan struct{} { return w.folders }

// WatchFiles replaces the files that are watched. Each is watched until its first event: a program wrote to it,
// or it was removed. A file that is watched already keeps its watch. After an error, some of the files are not watched.
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

package cli

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// lateFile is a file that its first write creates, so that a run without log messages leaves
// none.
type lateFile struct {
	dir, name string

	mu   sync.Mutex
	file *os.File
	err  error
}

// Write appends to the file.
func (l *lateFile) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && l.err == nil {
		if l.err = os.MkdirAll(l.dir, 0o700); l.err == nil {
			l.file, l.err = os.OpenFile(filepath.Join(l.dir, l.name),
				os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
		}
	}
	if l.err != nil {
		return 0, l.err
	}
	return l.file.Write(text)
}

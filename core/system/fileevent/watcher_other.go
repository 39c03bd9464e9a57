//go:build !linux

package fileevent

// New returns ErrUnsupported.
func New() (*Watcher, error) { return nil, ErrUnsupported }

// WatchFolder returns ErrUnsupported.
func (w *Watcher) WatchFolder(string) error { return ErrUnsupported }

func (w *Watcher) watchFile(string) error { return ErrUnsupported }

func (w *Watcher) forget(string) {}

// Close does nothing.
func (w *Watcher) Close() error { return nil }

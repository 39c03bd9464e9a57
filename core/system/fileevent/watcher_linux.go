package fileevent

import (
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
)

// The events of a file and of a folder; one of them is reported.
const (
	fileMask   = syscall.IN_MODIFY | syscall.IN_ONESHOT
	folderMask = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_MOVED_TO | syscall.IN_ONLYDIR | syscall.IN_ONESHOT
)

// New returns a watcher that watches nothing. It returns an error if the user may have no more of them.
func New() (*Watcher, error) {
	descriptor, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watcher{
		descriptor: descriptor, file: os.NewFile(uintptr(descriptor), "inotify"),
		files: make(chan struct{}, 1), folders: make(chan struct{}, 1),
		numbers: map[string]int32{}, paths: map[int32]string{},
	}
	go w.read()
	return w, nil
}

// WatchFolder watches a folder until an entry of it appears or disappears.
func (w *Watcher) WatchFolder(path string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(path, folderMask)
}

func (w *Watcher) watchFile(path string) error { return w.add(path, fileMask) }

// add watches a file or a folder; the caller holds the lock, so that no event is read before the number is known.
func (w *Watcher) add(path string, mask uint32) error {
	number, err := syscall.InotifyAddWatch(w.descriptor, path, mask)
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	w.paths[int32(number)] = path
	if mask == fileMask {
		w.numbers[path] = int32(number)
	}
	return nil
}

// forget ends the watch of a file; the caller holds the lock. The system may have ended it already.
func (w *Watcher) forget(path string) {
	number := w.numbers[path]
	delete(w.paths, number)
	delete(w.numbers, path)
	_, _ = syscall.InotifyRmWatch(w.descriptor, uint32(number))
}

// read receives events until the watcher is closed.
func (w *Watcher) read() {
	defer close(w.files)
	defer close(w.folders)
	buffer := make([]byte, 64*(syscall.SizeofInotifyEvent+syscall.NAME_MAX+1))
	for {
		n, err := w.file.Read(buffer)
		if err != nil {
			return
		}
		files, folders := w.receive(buffer[:n])
		if files {
			deliver(w.files)
		}
		if folders {
			deliver(w.folders)
		}
	}
}

// deliver puts a token into a channel, unless it has one.
func deliver(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// receive drops files after their events, and reports whether any event was of a watched file, and of a watched folder.
func (w *Watcher) receive(events []byte) (files, folders bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(events) >= syscall.SizeofInotifyEvent {
		number, name := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[12:])
		path, watched := w.paths[number]
		if w.numbers[path] == number {
			files = true
			delete(w.numbers, path)
		} else if watched {
			folders = true
		}
		delete(w.paths, number)
		events = events[syscall.SizeofInotifyEvent+name:]
	}
	return files, folders
}

// Close ends all watches.
func (w *Watcher) Close() error { return w.file.Close() }

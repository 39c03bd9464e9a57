package server

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core/engine/own/wire"
)

// held is the file that a holder locks while it keeps terminals: so that clients wait for the next server, and no other
// one begins beside it.
type held struct {
	file *os.File
	mu   sync.Mutex
	says wire.Held
	// locked is closed once the lock is this process's.
	locked chan struct{}
}

// hold locks the file of a socket. Another holder that has it is waited for meanwhile. Without a file, as in a folder
// that cannot be written, clients do not know of this holder.
func hold(socket string) *held {
	h := &held{locked: make(chan struct{})}
	file, err := os.OpenFile(wire.HeldPath(socket), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		close(h.locked)
		return h
	}
	h.file = file
	go func() {
		for unix.Flock(int(file.Fd()), unix.LOCK_EX) == unix.EINTR {
			continue
		}
		close(h.locked)
		h.write(func(*wire.Held) {})
	}()
	return h
}

// mine reports whether the lock is this process's, after some time at most.
func (h *held) mine(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-h.locked:
		return true
	case <-timer.C:
		return false
	}
}

// write changes what the file says to clients, once it is locked.
func (h *held) write(change func(*wire.Held)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.says.PID = os.Getpid()
	change(&h.says)
	select {
	case <-h.locked:
	default:
		return
	}
	if h.file == nil {
		return
	}
	body, err := json.Marshal(h.says)
	if err == nil && h.file.Truncate(0) == nil {
		_, _ = h.file.WriteAt(body, 0) // on a full disk clients learn less
	}
}

// release gives the lock back.
func (h *held) release() {
	if h.file != nil {
		_ = h.file.Close()
	}
}

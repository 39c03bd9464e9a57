package wire

import (
	"encoding/json"
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"cupola/core/plainfile"
)

// Held is what a holder says in the file that it locks while it keeps terminals.
type Held struct {
	PID int `json:"pid"`
	// Panes is how many terminals it keeps, Tries how often no server could be started, and Why the last reason; zero
	// unless that is so now.
	Panes int    `json:"panes,omitempty"`
	Tries int    `json:"tries,omitempty"`
	Why   string `json:"why,omitempty"`
	// Journals is true once it keeps the journals of panes too.
	Journals bool `json:"journals,omitempty"`
}

// HeldPath is the path of the file that a holder locks.
func HeldPath(socket string) string { return socket + ".held" }

// ReadHeld reports whether a holder keeps the terminals of a socket: then a server runs or is about to be started. A
// holder of a build that is older than the file keeps them unseen.
func ReadHeld(socket string) (held Held, is bool) {
	file, err := plainfile.Open(HeldPath(socket))
	if err != nil {
		return Held{}, false
	}
	defer file.Close()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return Held{}, false
	}
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(file, most))
	_ = json.Unmarshal(body, &held) // the lock says that there is one
	return held, true
}

package wire

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core/system/plainfile"
)

// Held is the content of the file that a holder locks while it keeps terminals.
type Held struct {
	PID int `json:"pid"`
	// Panes is the number of terminals that it keeps, Tries the number of failed starts of a server, and Why the reason
	// of the last one. All are zero while a server runs.
	Panes int    `json:"panes,omitempty"`
	Tries int    `json:"tries,omitempty"`
	Why   string `json:"why,omitempty"`
	// Journals is true once it keeps the journals of panes too.
	Journals bool `json:"journals,omitempty"`
	// Sessions are the sessions whose terminals it keeps, by their names, each with its panes. The file of a holder
	// that was killed keeps them and so names the lost ones; a holder that ends properly leaves none.
	Sessions map[string]int `json:"sessions,omitempty"`
}

// HeldPath is the path of the file that a holder locks.
func HeldPath(socket string) string { return socket + ".held" }

// ReadHeld reports whether a holder keeps the terminals of a socket: then a server runs or is about to be started. A
// holder of a build that is older than the file keeps them unseen.
func ReadHeld(socket string) (held Held, is bool) {
	held, is, _ = readHeld(socket)
	return held, is
}

// Starts reports whether a server has the lock of a socket. If no process listens there, that server is about to
// listen, or about to end.
func Starts(socket string) bool {
	file, err := plainfile.Open(LockPath(socket))
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// ReadLost returns what the last holder of a socket kept, if that was killed and no other has come since, and when it
// said so.
func ReadLost(socket string) (lost Held, at time.Time, is bool) {
	held, lives, at := readHeld(socket)
	return held, at, !lives && len(held.Sessions) > 0
}

func readHeld(socket string) (held Held, lives bool, at time.Time) {
	file, err := plainfile.Open(HeldPath(socket))
	if err != nil {
		return Held{}, false, time.Time{}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		at = info.ModTime()
	}
	lives = errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
	const most = 1 << 20
	body, _ := io.ReadAll(io.LimitReader(file, most))
	_ = json.Unmarshal(body, &held) // whether there is one is said by the lock
	return held, lives, at
}

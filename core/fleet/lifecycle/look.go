package lifecycle

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

const (
	// looksAgainFor is how long leftovers are looked for after a pane has ended: what it started may leave late.
	looksAgainFor = 10 * time.Second
	// looksAgainAfter is how long a look suffices where no pane is known to have ended.
	looksAgainAfter = 10 * time.Minute
	// longestLook is how long the file of a look may be, in bytes.
	longestLook = 1 << 20
)

// look is when leftovers were looked for, and what was seen. To look at all processes takes longer than all else that a
// status does.
type look struct {
	At time.Time `json:"at"`
	// Panes are the panes that there were, with the pid of what was started in them, and their sessions.
	Panes map[string]string `json:"panes"`
	// Left is true if there were leftovers, Ended when a pane was last found to have ended.
	Left  bool      `json:"left"`
	Ended time.Time `json:"ended,omitzero"`
}

// readLook reads the last look; the zero value without one.
func readLook(path string) look {
	var l look
	if path == "" {
		return l
	}
	text, err := plainfile.Read(path, longestLook)
	if err != nil || json.Unmarshal(text, &l) != nil {
		return look{}
	}
	return l
}

// suffices reports whether nothing can have been left since, as long as no pane has ended.
func (l *look) suffices(now time.Time) bool {
	since := now.Sub(l.At)
	return since >= 0 && since < looksAgainAfter && !l.Left && now.Sub(l.Ended) >= looksAgainFor
}

// ended reports whether a pane of a session, or of any where it is empty, has ended or was started anew since.
func (l *look) ended(snapshot *core.Snapshot, session string) bool {
	there := panesOf(snapshot)
	for pane, in := range l.Panes {
		if _, is := there[pane]; !is && (session == "" || in == session) {
			return true
		}
	}
	return false
}

// next is the look beside the panes of a snapshot.
func (l *look) next(snapshot *core.Snapshot, ended, left bool) *look {
	n := &look{At: snapshot.Taken, Panes: panesOf(snapshot), Left: left, Ended: l.Ended}
	if ended {
		n.Ended = snapshot.Taken
	}
	return n
}

// write keeps the look for the next one, which takes longer without it.
func (l *look) write(path string) {
	if text, err := json.Marshal(l); err == nil {
		_ = textfile.Put(path, text)
	}
}

func panesOf(snapshot *core.Snapshot) map[string]string {
	panes := map[string]string{}
	for _, pane := range snapshot.Panes() {
		panes[fmt.Sprintf("%s %d", pane.ID, pane.Process.PID)] = pane.Session
	}
	return panes
}

// forgetLook has leftovers looked for once more: a pane is started, and may end before it is seen.
func forgetLook(path string) {
	if path != "" {
		_ = os.Remove(path)
	}
}

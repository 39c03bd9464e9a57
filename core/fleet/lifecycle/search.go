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
	// searchFor is how long leftovers are searched for after a pane has ended: its processes may leave the group late.
	searchFor = 10 * time.Second
	// searchEvery is how long a search is valid if no pane is known to have ended since.
	searchEvery = 10 * time.Minute
	// longestSearch is the largest size of the file of a search, in bytes.
	longestSearch = 1 << 20
)

// search is the record of the last search for leftovers. A search lists all processes, which takes longer than the rest
// of a status.
type search struct {
	At time.Time `json:"at"`
	// Panes maps each pane, with the pid of its program, to the name of its session.
	Panes map[string]string `json:"panes"`
	// Left is true if there were leftovers, Ended when a pane was last found to have ended.
	Left  bool      `json:"left"`
	Ended time.Time `json:"ended,omitzero"`
}

// readSearch reads the last search; the zero value without one.
func readSearch(path string) search {
	var s search
	if path == "" {
		return s
	}
	text, err := plainfile.Read(path, longestSearch)
	if err != nil || json.Unmarshal(text, &s) != nil {
		return search{}
	}
	return s
}

// suffices reports whether the search is still valid, as long as no pane has ended.
func (s *search) suffices(now time.Time) bool {
	since := now.Sub(s.At)
	return since >= 0 && since < searchEvery && !s.Left && now.Sub(s.Ended) >= searchFor
}

// ended reports whether a pane of a session, or of any where it is empty, has ended or was started anew since.
func (s *search) ended(snapshot *core.Snapshot, session string) bool {
	there := panesOf(snapshot)
	for pane, in := range s.Panes {
		if _, is := there[pane]; !is && (session == "" || in == session) {
			return true
		}
	}
	return false
}

// next returns the record of a search made with a snapshot.
func (s *search) next(snapshot *core.Snapshot, ended, left bool) *search {
	n := &search{At: snapshot.Taken, Panes: panesOf(snapshot), Left: left, Ended: s.Ended}
	if ended {
		n.Ended = snapshot.Taken
	}
	return n
}

// write stores the search. Errors are ignored: without the file the next status only takes longer.
func (s *search) write(path string) {
	if text, err := json.Marshal(s); err == nil {
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

// forgetSearch makes the next status search again: a pane is started, and may end before a snapshot has it.
func forgetSearch(path string) {
	if path != "" {
		_ = os.Remove(path)
	}
}

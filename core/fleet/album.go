package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/detect"
	"cupola/core/engine"
	"cupola/core/plainfile"
	"cupola/core/textfile"
)

// album holds what one call read on the screens of resting agents and leaves for
// the next in the runtime folder, so that these need not be captured and read
// again. It stands as long as a pane has the same program and title and nothing was
// printed in its window since; where a pane was only resized, it says the same in
// other rows. The server tells the time of printing in whole seconds, so a screen
// counts only where nothing was printed in the second of its capture nor in the one
// before.
type album struct {
	path, form string
	reading    sync.WaitGroup
	// failed is what went wrong at reading; nil if nothing did.
	failed error
	leaves map[core.PaneID]*leaf
}

// leaf is what was read on one screen, with what must not have changed since.
type leaf struct {
	Pane  core.PaneID `json:"pane"`
	PID   int         `json:"pid"`
	Kind  core.Kind   `json:"kind"`
	Title string      `json:"title"`
	// Version is that of the program, where rules depend on it.
	Version string        `json:"version,omitempty"`
	Sight   *detect.Sight `json:"sight"`
	// Used is as in known.
	Used int `json:"used"`
}

// openAlbum begins to read an album that was written by the same rules; an empty
// path is an empty one.
func openAlbum(path, rules string) *album {
	a := &album{path: path, form: fmt.Sprintf("cupola screens 1, rules %s, clock ", rules)}
	if path != "" {
		a.reading.Go(a.read)
	}
	return a
}

// rulesOf tells the rules of one program and its user from others.
func rulesOf(program string, kinds *agent.Kinds) string {
	info, err := os.Stat(program)
	if err != nil {
		return fmt.Sprint(kinds.Stamp())
	}
	return fmt.Sprintf("%x-%x-%x", info.ModTime().UnixNano(), info.Size(), kinds.Stamp())
}

// leaf returns what a pane shows, as far as that is known; nil if it is not.
func (a *album) leaf(row *engine.Pane, kind *agent.Kind) *leaf {
	if a == nil || kind == nil {
		return nil
	}
	a.reading.Wait()
	l := a.leaves[row.ID]
	if l == nil || l.PID != row.Process.PID || l.Kind != kind.ID || l.Title != row.Title || !stands(row, l.Sight.Taken) {
		return nil
	}
	return l
}

// stands reports whether nothing was printed in a pane's window since a moment, nor
// shortly before.
func stands(row *engine.Pane, taken time.Time) bool {
	return !row.Activity.IsZero() && row.Activity.Unix() < taken.Unix()-1
}

// worthKeeping is how many screens must have been captured that could have been
// known, for an album to be written.
const worthKeeping = worthPart

// keep leaves what is known of a listing's panes for the next call, where that is
// worth it.
func (a *album) keep(s seat, listing *engine.Listing, m *memory) error {
	a.reading.Wait()
	leaves, fresh := make([]*leaf, 0, len(listing.Panes)), 0
	for i := range listing.Panes {
		row := &listing.Panes[i]
		k, old := m.panes[row.ID], a.leaves[row.ID]
		switch {
		case k == nil && old != nil:
			leaves = append(leaves, old) // of another session
		case k != nil && k.leaf != nil:
			leaves = append(leaves, k.leaf)
		case k == nil || k.screen == nil || k.sight == nil || !stands(row, k.screen.Taken):
		default:
			leaves = append(leaves, &leaf{row.ID, row.Process.PID, k.readAs, row.Title, k.version, k.sight, k.used})
			fresh++
		}
	}
	if fresh < worthKeeping {
		return a.failed
	}
	if err := s.prepare(); err != nil {
		return err
	}
	text, err := a.encode(leaves)
	if err != nil {
		return err
	}
	return errors.Join(a.failed, textfile.Put(a.path, text))
}

// read reads the album. One that cannot be read, and one of other rules or of
// another clock, is empty.
func (a *album) read() {
	text, err := plainfile.Read(a.path, plainfile.Record)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		a.failed = err
	default:
		a.leaves, a.failed = a.decode(text)
	}
}

// clockNow is how far the wall clock is ahead of one that nobody sets. Screens of
// another clock are forgotten, because seconds cannot be compared with theirs.
func clockNow() time.Duration {
	var steady unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &steady) != nil {
		return 0
	}
	return time.Duration(time.Now().UnixNano() - steady.Nano())
}

// sameClock is how far clocks that were not set may seem to be apart: they are
// not read at the same moment, and are slewed.
const sameClock = 500 * time.Millisecond

// encode writes in a line by which rules and clock this was read, and then the
// leaves.
func (a *album) encode(leaves []*leaf) ([]byte, error) {
	body, err := json.Marshal(leaves)
	return fmt.Appendf(nil, "%s%d\n%s\n", a.form, clockNow(), body), err
}

func (a *album) decode(text []byte) (map[core.PaneID]*leaf, error) {
	head, body, _ := bytes.Cut(text, []byte("\n"))
	clock, same := bytes.CutPrefix(head, []byte(a.form))
	var ahead time.Duration
	if !same {
		return nil, nil
	}
	if _, err := fmt.Sscanf(string(clock), "%d", &ahead); err != nil || (ahead-clockNow()).Abs() > sameClock {
		return nil, err
	}
	var all []*leaf
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("the screens that were kept cannot be read: %w", err)
	}
	leaves := make(map[core.PaneID]*leaf, len(all))
	for _, l := range all {
		if l != nil && l.Sight != nil {
			leaves[l.Pane] = l
		}
	}
	return leaves, nil
}

package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/rundir"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// screenCache holds what single calls read on the screens of resting agents, in a file of the
// runtime directory. An entry is valid while its pane has the same program and title and nothing
// was printed in its window; a resize keeps it valid. The server reports printing in whole
// seconds, so an entry is valid only if nothing was printed in the second of its capture or in
// the one before.
type screenCache struct {
	path, form string
	reading    sync.WaitGroup
	// failed is the error of reading the file; nil for none.
	failed  error
	screens map[core.PaneID]*cachedScreen
}

// cachedScreen are the findings on one screen, with the facts that must not have changed since.
type cachedScreen struct {
	Pane  core.PaneID `json:"pane"`
	PID   int         `json:"pid"`
	Kind  core.Kind   `json:"kind"`
	Title string      `json:"title"`
	// Version is the version of the program, where rules depend on it.
	Version  string           `json:"version,omitempty"`
	Findings *detect.Findings `json:"sight"`
	// Used is as in known.
	Used int `json:"used"`
}

// openScreenCache begins to read a cache that was written by the same rules. An empty path is an
// empty cache.
func openScreenCache(path, rules string) *screenCache {
	c := &screenCache{path: path, form: fmt.Sprintf("cupola screens 1, rules %s, clock ", rules)}
	if path != "" {
		c.reading.Go(c.read)
	}
	return c
}

// lookup returns the valid entry of a pane; nil if there is none.
func (c *screenCache) lookup(row *engine.Pane, kind *agent.Kind) *cachedScreen {
	if c == nil || kind == nil {
		return nil
	}
	c.reading.Wait()
	l := c.screens[row.ID]
	if l == nil || l.PID != row.Process.PID || l.Kind != kind.ID || l.Title != row.Title ||
		!unchanged(row, l.Findings.Taken) {
		return nil
	}
	return l
}

// unchanged reports whether nothing was printed in a pane's window since shortly before a time.
func unchanged(row *engine.Pane, taken time.Time) bool {
	return !row.Activity.IsZero() && row.Activity.Unix() < taken.Unix()-1
}

// minFresh is how many new entries are worth writing the cache.
const minFresh = worthPart

// save writes what is known of a listing's panes, if enough of it is new.
func (c *screenCache) save(files rundir.Files, listing *engine.Listing, m *Tracker) error {
	c.reading.Wait()
	entries, fresh := make([]*cachedScreen, 0, len(listing.Panes)), 0
	for i := range listing.Panes {
		row := &listing.Panes[i]
		k, old := m.panes[row.ID], c.screens[row.ID]
		switch {
		case k == nil && old != nil:
			entries = append(entries, old) // of another session
		case k != nil && k.cached != nil:
			entries = append(entries, k.cached)
		case k == nil || k.screen == nil || k.findings == nil || !unchanged(row, k.screen.Taken):
		default:
			entries = append(entries,
				&cachedScreen{row.ID, row.Process.PID, k.readAs, row.Title, k.version, k.findings, k.used})
			fresh++
		}
	}
	if fresh < minFresh {
		return c.failed
	}
	if err := files.Prepare(); err != nil {
		return err
	}
	text, err := c.encode(entries)
	if err != nil {
		return err
	}
	return errors.Join(c.failed, textfile.Put(c.path, text))
}

// read reads the file. One that cannot be read, or of other rules or another clock, is empty.
func (c *screenCache) read() {
	text, err := plainfile.Read(c.path, plainfile.Record)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		c.failed = err
	default:
		c.screens, c.failed = c.decode(text)
	}
}

// clockNow is how far the wall clock is ahead of the monotonic one. Entries of another clock are
// not used, because their seconds mean other times.
func clockNow() time.Duration {
	var steady unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &steady) != nil {
		return 0
	}
	return time.Duration(time.Now().UnixNano() - steady.Nano())
}

// sameClock is the tolerance between two readings of clockNow with an unchanged clock: they are not
// simultaneous, and clocks are slewed.
const sameClock = 500 * time.Millisecond

// encode writes a line with the rules and the clock, and then the entries.
func (c *screenCache) encode(entries []*cachedScreen) ([]byte, error) {
	body, err := json.Marshal(entries)
	return fmt.Appendf(nil, "%s%d\n%s\n", c.form, clockNow(), body), err
}

func (c *screenCache) decode(text []byte) (map[core.PaneID]*cachedScreen, error) {
	head, body, _ := bytes.Cut(text, []byte("\n"))
	clock, same := bytes.CutPrefix(head, []byte(c.form))
	var ahead time.Duration
	if !same {
		return nil, nil
	}
	if _, err := fmt.Sscanf(string(clock), "%d", &ahead); err != nil || (ahead-clockNow()).Abs() > sameClock {
		return nil, err
	}
	var all []*cachedScreen
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("the screens that were kept cannot be read: %w", err)
	}
	entries := make(map[core.PaneID]*cachedScreen, len(all))
	for _, l := range all {
		if l != nil && l.Findings != nil {
			entries[l.Pane] = l
		}
	}
	return entries, nil
}

package acp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/fleet/keeper"
)

// fleet holds the newest snapshot, without the sessions from which the client is kept.
type fleet struct {
	only []string

	mu       sync.Mutex
	snapshot *core.Snapshot
	// changed is closed and replaced when there is a new snapshot.
	changed chan struct{}
}

func newFleet(only []string) *fleet {
	return &fleet{only: only, snapshot: &core.Snapshot{}, changed: make(chan struct{})}
}

// follow takes snapshots until there are no more, and calls seen after each.
func (f *fleet) follow(ctx context.Context, frames <-chan keeper.Frame, seen func()) {
	for {
		select {
		case frame, more := <-frames:
			if !more {
				return
			}
			if frame.Snapshot != nil {
				f.take(frame.Snapshot)
				seen()
			}
		case <-ctx.Done():
			return
		}
	}
}

func (f *fleet) take(snapshot *core.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shown := *snapshot
	shown.Sessions = slices.DeleteFunc(slices.Clone(snapshot.Sessions), func(s core.Session) bool {
		return len(f.only) > 0 && !slices.Contains(f.only, s.Name)
	})
	f.snapshot = &shown
	close(f.changed)
	f.changed = make(chan struct{})
}

// now returns the newest snapshot, and a channel that is closed when there is a newer one.
func (f *fleet) now() (*core.Snapshot, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.snapshot, f.changed
}

// first waits for the first snapshot.
func (f *fleet) first(ctx context.Context) {
	if snapshot, changed := f.now(); snapshot.Taken.IsZero() {
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// agents returns the agents that an address names: a session or a pane.
func (f *fleet) agents(address string) []*core.Pane {
	snapshot, _ := f.now()
	return slices.DeleteFunc(snapshot.Panes(), func(pane *core.Pane) bool {
		return !pane.IsAgent() || pane.Address() != address && pane.Session != address
	})
}

// around returns the names of the sessions that work in a folder, in one above it or in one below it, the nearest
// first.
func (f *fleet) around(dir string) []string {
	snapshot, _ := f.now()
	names, distance := []string{}, map[string]int{}
	for i := range snapshot.Sessions {
		s := &snapshot.Sessions[i]
		for _, pair := range [][2]string{{s.Dir, dir}, {dir, s.Dir}} {
			if way, err := filepath.Rel(pair[0], pair[1]); err == nil && s.Dir != "" && filepath.IsLocal(way) &&
				pair[0] != "/" && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
				distance[s.Name] = strings.Count(filepath.Clean(way), "/")
				if way == "." {
					distance[s.Name] = -1
				}
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance[a] - distance[b] })
	return names
}

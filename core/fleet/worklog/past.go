package worklog

import (
	"context"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
)

// departed is a pane that is not there any more, or a session: in which folder it was,
// from when on and when its session began, as far as that is known, and when it was
// last seen.
type departed struct {
	core.PaneRef
	dir                 string
	began, since, until time.Time
}

// departedIn returns the panes and sessions that ended, according to events, the oldest first. What a
// keeper only found was last seen by the one before.
func departedIn(events []core.Event) []departed {
	var gone []departed
	var last, seen time.Time
	opened, created := map[core.PaneID]time.Time{}, map[string]time.Time{}
	for i := range events {
		e := &events[i]
		if e.Type == core.KeeperChanged {
			seen = last
		}
		at := e.At
		if e.Late {
			at = seen
		}
		last = e.At
		switch e.Type {
		case core.PaneOpened:
			opened[e.PaneID] = at
		case core.SessionCreated:
			created[e.Session] = at
		case core.SessionRenamed:
			created[e.To] = created[e.From]
		}
		if e.Type != core.PaneClosed && e.Type != core.SessionClosed || e.From == "" {
			continue
		}
		_, number, _ := strings.Cut(e.Pane, ".")
		ordinal, err := strconv.Atoi(number)
		if err != nil && e.Type == core.PaneClosed {
			continue
		}
		gone = append(gone, departed{
			PaneRef: core.PaneRef{Session: e.Session, Ordinal: ordinal, Pane: e.PaneID, Agent: e.Agent, Kind: e.Kind},
			dir:     e.From, began: created[e.Session], since: opened[e.PaneID], until: at,
		})
	}
	return gone
}

// departed returns the panes that the last keeper saw and that are not in a snapshot; none while a keeper runs, since
// its events report them.
func (s *Surveyor) departed(ctx context.Context, snapshot *core.Snapshot) []departed {
	files := s.opts.Dir.Found(ctx)
	if kept, err := files.Kept(); kept || err != nil || files.None() {
		return nil
	}
	left, err := rundir.ReadRecord(files.Record)
	if err != nil || left.Snapshot == nil {
		return nil
	}
	gone := departedIn(observe.Diff(left.Snapshot, snapshot, left.Snapshot.Taken))
	for i := range gone {
		if pane := left.Snapshot.Pane(gone[i].Pane); pane != nil {
			gone[i].since = pane.Agent.Started
		}
		if session := left.Snapshot.Session(gone[i].Session); session != nil {
			gone[i].began = session.Created
		}
	}
	return gone
}

// leave notes that a pane was in the tree.
func (t *WorkTree) leave(one *departed) {
	t.holds(one.Session, one.began)
	if one.until.After(t.left) {
		t.left = one.until
	}
	if one.Agent != "" {
		// Commits have their time in whole seconds.
		t.inside = append(t.inside,
			resident{
				PaneRef: one.PaneRef, dir: resolved(one.dir), since: one.since.Truncate(time.Second),
				until: one.until,
			})
	}
}

// empty reports whether no pane was in the tree any more.
func (t *WorkTree) empty(at time.Time) bool { return !t.live && at.After(t.left) }

// at are the agents who can have changed something in the tree at a time: all that are
// there, and of the others those that were.
func (t *WorkTree) at(at time.Time) []resident {
	inside := make([]resident, 0, len(t.inside))
	for _, one := range t.inside {
		if one.until.IsZero() || !at.Before(one.since) && !at.After(one.until) {
			inside = append(inside, one)
		}
	}
	return inside
}

package overview

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// recentEvents is how many events a snapshot shows where it is not asked since when.
const recentEvents = 20

// changes are the events before a snapshot.
type changes struct {
	events []core.Event
	// gap says why more may have changed than the events say; absent where all is
	// known.
	gap string
}

// changesBefore reads what is on record. Without a since these are the last events.
func changesBefore(ctx context.Context, deps verb.OnFleet, snap *core.Snapshot, since registry.Since) (changes,
	error,
) {
	on, err := verb.OnRecords{}.Open(ctx, deps.Env)
	if err != nil {
		return changes{}, err
	}
	if since.Revision > snap.Revision {
		return changes{}, verb.ErrNoRevision(since.Revision)
	}
	query := store.EventQuery{Server: on.Server, After: since.Revision}
	if !since.IsRevision() {
		query.Since = since.AsTime(snap.Taken)
	}
	if since.String() == "" {
		query.Last, query.Own = recentEvents, deps.Fleet.Resolver.HidesForeign()
	}
	found, err := store.EventsIn(on.Records).Find(ctx, query)
	if err != nil {
		return changes{}, err
	}
	all := changes{events: append([]core.Event{}, found...)}
	switch {
	case since.String() == "":
	case !on.Kept:
		all.gap = "no keeper runs, so not every change is on record"
	case since.IsRevision():
		all.gap = gapBetween(since.Revision, snap.Revision, all.events)
	default:
		before := store.EventQuery{Server: on.Server, Until: query.Since, Last: 1}
		all.gap, err = gapSince(ctx, on.Records, before, all.events)
	}
	all.events = slices.DeleteFunc(all.events,
		func(e core.Event) bool { return e.Foreign && deps.Fleet.Resolver.HidesForeign() })
	return all, err
}

// gapSince says why not all since a time is on record, given what finds the last
// event before it.
func gapSince(ctx context.Context, records *store.Store, before store.EventQuery, events []core.Event) (string, error) {
	if slices.ContainsFunc(events,
		func(e core.Event) bool { return e.Type == core.KeeperChanged || e.Type == core.Resynced }) {
		return "no keeper ran for part of that time", nil
	}
	older, err := store.EventsIn(records).Find(ctx, before)
	if err == nil && len(older) == 0 {
		return "no keeper ran so long ago", nil
	}
	return "", err
}

// gapBetween says what is missing between two revisions.
func gapBetween(from, to core.Revision, events []core.Event) string {
	for i := range events {
		e := &events[i]
		if e.Type == core.Resynced || e.Revision > from+1 {
			return fmt.Sprintf("what led to revision %d is not on record", e.Revision)
		}
		from = max(from, e.Revision)
	}
	if from < to {
		return fmt.Sprintf("what led to revision %d is not on record", to)
	}
	return ""
}

func (c *changes) rows() []eventRow {
	rows := make([]eventRow, len(c.events))
	for i := range c.events {
		rows[i].Event = c.events[i]
		rows[i].Alert = nil
	}
	return rows
}

// only leaves of lists what changed: panes and sessions that events name, and
// alerts that are newer.
func (c *changes) only(sessions *[]verb.SessionRow, panes *[]verb.PaneRow, details *[]verb.PaneDetail,
	alerts *[]alertRow, from time.Time,
) {
	changed, named, raised := map[core.PaneID]bool{}, map[string]bool{}, map[string]bool{}
	for i := range c.events {
		e := &c.events[i]
		changed[e.PaneID], named[e.Session] = true, true
		if e.Type == core.SessionRenamed {
			named[e.To] = true
		}
		if e.Alert != nil {
			raised[e.Alert.ID] = true
		}
	}
	*panes = slices.DeleteFunc(*panes, func(row verb.PaneRow) bool { return !changed[row.Pane] })
	*details = slices.DeleteFunc(*details, func(row verb.PaneDetail) bool { return !changed[row.Pane] })
	*sessions = slices.DeleteFunc(*sessions, func(row verb.SessionRow) bool { return !named[row.Name] })
	*alerts = slices.DeleteFunc(*alerts, func(row alertRow) bool {
		return !raised[row.ID] && (from.IsZero() || row.LastSeen.Before(from))
	})
}

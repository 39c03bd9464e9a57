package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type watchIn struct {
	registry.OfSession
	Since   registry.Since `since:"revision" help:"Start after this revision; without it the stream starts with a whole snapshot"`
	Types   []string       `help:"Only events of these types (state_changed, pane_closed, ...)"`
	States  bool           `help:"Instead of events, the panes of the session as they now are: a line for each, and one per change"`
	Every   time.Duration  `help:"With --states: report at least this often; 0 is only on changes"`
	Timeout time.Duration  `help:"End after this long; 0 never ends"`
}

// watchLine is a line before the last.
type watchLine struct {
	eventRow
	// Row is the pane as it now is, with --states: the type is "pane" then, or "closed" for a pane that is gone.
	Row *verb.PaneRow `json:"pane_row,omitempty"`
}

// watchOut is the last line of the stream.
type watchOut struct {
	// Reason is "timeout" where the stream ended as asked, or with --states "closed" where the last pane was closed.
	Reason   string        `json:"reason,omitempty"`
	Revision core.Revision `json:"revision"`
	Events   int           `json:"event_count"`
}

var watch = registry.Define(registry.Spec[verb.OnFleet, watchIn, watchOut]{
	Name: "watch", Group: verb.GroupSee, Short: "Stream events as they happen",
	Long: "Each line is an event with the revision it led to; no revision is missing. After an interruption, " +
		"continue with --since=rev:N: what is on record since then follows first. A line of type resync replaces " +
		"everything known before; its message says why. An event keeper_changed says that another process (a watch, " +
		"a wait, a dashboard) began to follow the terminals for all. An event with late: true was not seen to " +
		"happen; its time is when it was found. The stream ends with a line of type end.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"--timeout=2s", "--session=api --timeout=1s", "--session=api --states --timeout=1s"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable, core.IOError,
		core.PermissionDenied, core.StoreError, core.StoreLocked, core.MigrationFailed,
	},
	Stream: registry.Stream[verb.OnFleet, watchIn, watchOut]{Line: watchLine{}, Run: runWatch},
}).SeeAlso("attention", "summary")

// Check sees that there are events of these types.
func (in watchIn) Check() error {
	switch {
	case in.Every != 0 && !in.States:
		return registry.Missing("--every reports states", "Give --states too.", "--states")
	case in.States && in.Session == "":
		return registry.Missing("--states is of one session", "Name it with --session.", "--session")
	case in.States && in.Since.Given():
		return registry.Conflict("--states", "--since")
	}
	return checkTypes(in.Types)
}

func runWatch(ctx context.Context, deps verb.OnFleet, in watchIn, emit func(any) error) (watchOut, error) {
	if in.States {
		return runWatchStates(ctx, deps, in, emit)
	}
	out := watchOut{Reason: "timeout"}
	since := in.Since.Revision
	var err error
	// Of a session that is gone there is nothing to watch, but what happened since.
	if in.Since.Given() {
		in.Session, err = verb.SessionOnRecord(ctx, deps.Env, in.Session)
	} else {
		in.Session, err = verb.LiveSession(ctx, deps.Fleet, in.Session)
	}
	if err != nil {
		return out, err
	}
	ctx, begin, end := await.Timed(ctx, in.Timeout, context.DeadlineExceeded)
	defer end()
	hideForeign := in.Session == "" && deps.Fleet.Resolver.HidesForeign()
	write := func(event core.Event) error {
		out.Revision = event.Revision
		if !wanted(event, in) || hideForeign && event.Foreign {
			return nil
		}
		out.Events++
		row := narrowed(event, in.Session)
		return emit(eventLineOf(&row))
	}
	if in.Since.Given() {
		snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{})
		// A stream of another host that continues after its revisions began again is repaired by a resync.
		if err == nil && since > snap.Revision && deps.Env.Host == "" {
			err = verb.ErrNoRevision(since)
		}
		if err != nil {
			return out, err
		}
		recorded, err := eventsAfter(ctx, deps, since)
		if err != nil {
			return out, err
		}
		for _, event := range recorded {
			if err := write(event); err != nil {
				return out, err
			}
			since = event.Revision
		}
	}
	sub, err := deps.Fleet.Streams.Subscribe(ctx, keeper.Interest{Since: since, Watched: true, Bare: !hideForeign})
	if err != nil {
		return out, err
	}
	if in.Since.Given() {
		begin()
	}
	for event := range sub.Events {
		begin()
		if err := write(event); err != nil {
			end()
			for range sub.Events { // the keeper records what was seen last
			}
			return out, err
		}
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return out, nil
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	return out, sub.Err()
}

// runWatchStates emits the panes of a session as they change.
func runWatchStates(ctx context.Context, deps verb.OnFleet, in watchIn, emit func(any) error) (watchOut, error) {
	what := monitorIn{InSession: registry.InSession{Session: in.Session}, Every: in.Every, Timeout: in.Timeout}
	ended, err := watchStates(ctx, deps, what, func(line stateLine) error {
		row := line.row
		event := core.Event{
			Type: core.EventType(line.what), At: line.at, Session: row.Session, PaneID: row.Pane, Pane: row.Address(),
			Agent: row.Agent, From: string(line.from), To: string(row.State), Reason: row.Reason,
		}
		return emit(watchLine{eventRow: eventRow{Event: event}, Row: &row})
	})
	return watchOut{Reason: ended.Reason, Events: ended.Lines}, err
}

// eventsAfter are the events on record after a revision, so far as none is missing.
func eventsAfter(ctx context.Context, deps verb.OnFleet, since core.Revision) ([]core.Event, error) {
	on, err := verb.OnRecords{}.Open(ctx, deps.Env)
	if err != nil {
		return nil, err
	}
	found, err := store.EventsIn(on.Records).Find(ctx, store.EventQuery{Server: on.Server, After: since})
	if err != nil {
		return nil, err
	}
	return unbroken(found, since), nil
}

// unbroken are the first events after a revision, up to where one is missing. Where
// revisions began again, only their last beginning counts.
func unbroken(events []core.Event, since core.Revision) []core.Event {
	begin, last := len(events), since
	for i := range events {
		if events[i].Revision == since+1 {
			begin = i
		}
	}
	end := begin
	for ; end < len(events) && events[end].Revision == last+1; end++ {
		last++
	}
	return events[begin:end]
}

// wanted reports whether an event passes the filters. What concerns all
// sessions passes the session filter.
func wanted(event core.Event, in watchIn) bool {
	if in.Session != "" && event.Session != "" && event.Session != in.Session {
		return false
	}
	return len(in.Types) == 0 || slices.Contains(in.Types, string(event.Type)) || event.Type == core.Resynced
}

// narrowed leaves the other sessions out of the snapshot that a resync carries.
func narrowed(event core.Event, session string) core.Event {
	if session == "" || event.Snapshot == nil {
		return event
	}
	snapshot := *event.Snapshot
	snapshot.Sessions = []core.Session{}
	if found := event.Snapshot.Session(session); found != nil {
		snapshot.Sessions = append(snapshot.Sessions, *found)
	}
	event.Snapshot = &snapshot
	return event
}

func checkTypes(types []string) error {
	return registry.CheckEnum("types", types, core.Words(core.EventTypes))
}

// eventRow is an event as lists and streams show it. Its snapshot has the rows of a status, and only
// streams have it and the alert.
type eventRow struct {
	_ struct{} `minimal:"type,session,address,to"`
	core.Event
	// Snapshot is the whole snapshot of a resync.
	Snapshot *resyncSnapshot `json:"snapshot,omitempty"`
}

// resyncSnapshot is the snapshot in a resync, in the rows of a status.
type resyncSnapshot struct {
	GeneratedAt time.Time         `json:"generated_at"`
	Revision    core.Revision     `json:"revision"`
	EngineUp    bool              `json:"engine_up"`
	Sessions    []verb.SessionRow `json:"sessions"`
	Panes       []verb.PaneRow    `json:"panes"`
	Alerts      []alertRow        `json:"alerts"`
}

// eventLineOf is an event as a line of a stream.
func eventLineOf(e *core.Event) eventRow {
	row := eventRow{Event: *e}
	if snap := e.Snapshot; snap != nil {
		row.Snapshot = &resyncSnapshot{
			GeneratedAt: snap.Taken, Revision: snap.Revision, EngineUp: snap.EngineUp,
			Sessions: verb.SessionRows(snap), Alerts: alertRows(snap.Alerts), Panes: core.Map(snap.Panes(), verb.RowOf),
		}
	}
	return row
}

// Report describes the event for people.
func (r eventRow) Report() *report.Report {
	cells := []report.Cell{
		report.Toned(report.Dim, r.At.Local().Format("15:04:05")+"  "),
		report.Text(fmt.Sprintf("%-16s ", r.Type)),
	}
	if where := cmp.Or(r.Pane, r.Session); where != "" {
		cells = append(cells, report.Toned(report.Strong, where+" "))
	}
	if r.Agent != "" {
		cells = append(cells, report.Text(r.Agent+" "))
	}
	switch {
	case r.From != "" && (r.Type == core.PaneClosed || r.Type == core.SessionClosed):
		cells = append(cells, report.Toned(report.Dim, "was in "+r.From+" "))
	case r.From != "" || r.To != "":
		cells = append(cells, report.Toned(report.Dim, r.From+" → "),
			report.Toned(report.StateTone(core.State(r.To)), r.To+" "))
	}
	if snap := r.Event.Snapshot; snap != nil {
		counts := snap.Counts()
		cells = append(cells, report.Text(fmt.Sprintf("%d sessions, %d agents ", counts.Sessions, counts.Agents)))
	}
	if r.Message != "" {
		cells = append(cells, report.Toned(report.Dim, r.Message))
	}
	return report.Say(cells...)
}

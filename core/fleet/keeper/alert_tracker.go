package keeper

import (
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/measure"
	"cupola/core/fleet/wire"
)

// alertTracker tracks the alerts of a lasting observer: it evaluates each snapshot, adds the open alerts to
// it, and returns what changed.
type alertTracker struct {
	tracker    alert.Tracker
	thresholds alert.Thresholds
	// spends is the money spent under ceilings, outside are events of work without panes.
	spends   polled[alert.Spend]
	notices  polled[alert.Notice]
	context  *measure.ContextMonitor
	replies  *measure.ReplyMonitor
	activity *measure.ActivityMonitor
	trees    *measure.TreeMonitor
	// previous and current are each pane's states.
	previous, current map[core.PaneID]core.State
	lost              bool
	// dismissed reports whether Cupola ended the last session after a time, and the server with it; nil is
	// never.
	dismissed func(after time.Time) bool
	began     bool
	// former are alerts dismissed before this observer's first snapshot.
	former []core.Alert
	// next is when the last snapshot may call for other alerts by itself.
	next time.Time

	mu sync.Mutex
	// dismissals were requested since the last snapshot; edges were reported and appear in no snapshot.
	dismissals []alert.Selection
	// reopened are the ids of dismissed alerts that were asked back since then.
	reopened []string
	edges    []core.Alert
}

func newAlertTracker(thresholds alert.Thresholds) *alertTracker {
	return &alertTracker{
		thresholds: thresholds, previous: map[core.PaneID]core.State{}, current: map[core.PaneID]core.State{},
		spends: polled[alert.Spend]{every: 30 * time.Second, unknown: "what was spent is not known"},
		// It costs a stat and a directory.
		notices: polled[alert.Notice]{
			every: 2 * time.Second, unknown: "what became of relays and crews is not known",
			wake: make(chan struct{}, 1),
		},
		context: &measure.ContextMonitor{}, replies: &measure.ReplyMonitor{},
		activity: &measure.ActivityMonitor{}, trees: &measure.TreeMonitor{},
	}
}

// update evaluates a snapshot that followed another, adds the open alerts to it, and returns what changed;
// while the server does not answer, nothing but that. The first snapshot inherits the alerts of the one before, so that
// they are not raised again.
func (w *alertTracker) update(before, snapshot *core.Snapshot, moved map[core.PaneID]time.Time,
	now time.Time,
) []alert.Change {
	if !w.began && before != nil {
		w.tracker.Load(before.Alerts)
		w.tracker.Load(w.former)
		w.lost = w.tracker.Unresolved(alert.ID(core.AlertEngineLost, "engine"))
		w.note(before)
	}
	if !snapshot.SilentSince.IsZero() {
		return w.silence(snapshot, now)
	}
	w.began = true
	w.note(snapshot)
	var changes []alert.Change
	wasUp := before != nil && before.EngineUp && len(before.Sessions) > 0
	if snapshot.EngineUp && w.lost {
		changes = append(changes, w.tracker.Raise(core.Alert{
			Type: core.AlertEngineBack, Severity: core.SeverityInfo, Subject: "engine",
			Message: "the terminal server is back", LastSeen: now,
		})...)
	}
	w.lost = !snapshot.EngineUp && (w.lost || wasUp && (w.dismissed == nil || !w.dismissed(before.Taken)))
	facts := w.facts(snapshot, moved, now)
	changes = append(w.tracker.Update(now, alert.Rules(facts)), changes...)
	changes = append(changes, w.applyReports(snapshot, now)...)
	snapshot.SetAlerts(w.tracker.Open())
	w.next = core.Earlier(alert.Due(facts), w.tracker.Due())
	return changes
}

// silence is take while the server does not answer: of that alone, where it is known why.
func (w *alertTracker) silence(snapshot *core.Snapshot, now time.Time) []alert.Change {
	if snapshot.SilentWhy == "" {
		return nil
	}
	changes := w.tracker.Raise(core.Alert{
		Type: core.AlertEngineSilent, Severity: core.SeverityCritical, Subject: "engine", LastSeen: now,
		FirstSeen: snapshot.SilentSince, Message: "the terminal server cannot be reached: " + snapshot.SilentWhy,
	})
	snapshot.Alerts = w.tracker.Open()
	return changes
}

// renew makes the next snapshot the first again, after another process was the keeper, and sets the alerts
// dismissed there.
func (w *alertTracker) renew(dismissed []core.Alert) {
	w.former = slices.Concat(dismissed, w.tracker.Dismissed())
	w.tracker, w.began = alert.Tracker{}, false
}

// applyReports applies the reports since the last snapshot, and resolves failed deliveries to closed panes.
func (w *alertTracker) applyReports(snapshot *core.Snapshot, now time.Time) []alert.Change {
	w.mu.Lock()
	asked, edges, reopened := w.dismissals, w.edges, w.reopened
	w.dismissals, w.edges, w.reopened = nil, nil, nil
	w.mu.Unlock()
	var changes []alert.Change
	for i := range edges {
		if edges[i].ResolvedAt.IsZero() {
			changes = append(changes, w.tracker.Raise(edges[i])...)
		} else {
			changes = append(changes, w.tracker.Resolve(alert.ID(edges[i].Type, edges[i].Subject), now)...)
		}
	}
	for _, which := range asked {
		changes = append(changes, w.tracker.Dismiss(which, now)...)
	}
	for _, id := range reopened {
		changes = append(changes, w.tracker.Reopen(id, now)...)
	}
	for _, open := range w.tracker.Open() {
		if open.Type == core.AlertDelivery && snapshot.Pane(open.Pane) == nil {
			changes = append(changes, w.tracker.Resolve(open.ID, now)...)
		}
	}
	return changes
}

// report queues a report for the next snapshot.
func (w *alertTracker) report(report *wire.AlertReport) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if report.Dismiss != nil {
		w.dismissals = append(w.dismissals, *report.Dismiss)
	}
	if report.Edge != nil {
		w.edges = append(w.edges, *report.Edge)
	}
	w.reopened = append(w.reopened, report.Reopen...)
}

// note records the states of a snapshot's panes.
func (w *alertTracker) note(snapshot *core.Snapshot) {
	there := make(map[core.PaneID]bool, len(w.current))
	for _, pane := range snapshot.Panes() {
		there[pane.ID] = true
		if now := pane.Status.State; w.current[pane.ID] != now {
			w.previous[pane.ID], w.current[pane.ID] = w.current[pane.ID], now
		}
	}
	for id := range w.current {
		if !there[id] {
			delete(w.current, id)
			delete(w.previous, id)
		}
	}
}

func (w *alertTracker) facts(snapshot *core.Snapshot, moved map[core.PaneID]time.Time, now time.Time) alert.Facts {
	facts := alert.Facts{
		Now: now, Snapshot: snapshot, Thresholds: w.thresholds, Was: w.previous, Moved: moved, Lost: w.lost,
		Spends: w.spends.last(), Notices: w.notices.last(), Context: w.context.Used(),
	}
	w.trees.Fill(&facts)
	return facts
}

// alertEvents returns the events for changes of alerts.
func alertEvents(changes []alert.Change, at time.Time) []core.Event {
	events := make([]core.Event, 0, len(changes))
	for i := range changes {
		a := changes[i].Alert
		event := core.Event{
			Type: changes[i].Type, At: at, Session: a.Session, PaneID: a.Pane, Reason: a.Reason, Message: a.Message,
			Alert: &a,
		}
		if a.Pane != "" {
			event.Pane = a.Subject
		}
		events = append(events, event)
	}
	return events
}

// alertsOf returns the alerts that changed.
func alertsOf(changes []alert.Change) []core.Alert {
	return core.Map(changes, func(c alert.Change) core.Alert { return c.Alert })
}

package fleet

import (
	"context"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/near"
)

// warden keeps the alerts of an observer that stays: it judges each picture,
// puts what is open into it, and tells what changed.
type warden struct {
	book       alert.Book
	thresholds alert.Thresholds
	// asks returns what was spent under ceilings; nil is nothing.
	asks func(context.Context) ([]alert.Spend, error)
	// gauge measures context windows, pulse how fast screens change.
	gauge gauge
	pulse pulse
	// patrol looks at disks and files.
	patrol patrol
	// was is each pane's state before the one it is in, is the one it is in.
	was, is map[core.PaneID]core.State
	lost    bool
	// dismissed reports whether Cupola ended the last session after a moment, and
	// the server with it; nil is never.
	dismissed func(after time.Time) bool
	began     bool
	// former are those that were dismissed before this observer's first picture.
	former []core.Alert
	// next is when the last picture may call for other alerts by itself.
	next time.Time

	mu sync.Mutex
	// asked are those that somebody dismissed since the last picture, edges those
	// that were reported and that no picture shows.
	asked []alert.Selection
	edges []core.Alert
	// spent is what was spent under ceilings.
	spent []alert.Spend
}

func newWarden(thresholds alert.Thresholds) *warden {
	return &warden{thresholds: thresholds, was: map[core.PaneID]core.State{}, is: map[core.PaneID]core.State{}}
}

// take judges a picture that followed another, puts the open alerts into it, and
// returns what changed; nothing while the server does not answer. The first picture takes on the alerts of the one before,
// so that those are not raised again.
func (w *warden) take(before, picture *core.Snapshot, moved map[core.PaneID]time.Time, now time.Time) []alert.Change {
	if !w.began && before != nil {
		w.book.Load(before.Alerts)
		w.book.Load(w.former)
		w.lost = w.book.Stands(alert.ID(core.AlertEngineLost, "engine"))
		w.note(before)
	}
	if !picture.SilentSince.IsZero() {
		return nil
	}
	w.began = true
	w.note(picture)
	var changes []alert.Change
	wasUp := before != nil && before.EngineUp && len(before.Sessions) > 0
	if picture.EngineUp && w.lost {
		changes = append(changes, w.book.Raise(core.Alert{
			Type: core.AlertEngineBack, Severity: core.SeverityInfo, Subject: "engine", Message: "the terminal server is back", LastSeen: now,
		})...)
	}
	w.lost = !picture.EngineUp && (w.lost || wasUp && (w.dismissed == nil || !w.dismissed(before.Taken)))
	facts := w.facts(picture, moved, now)
	changes = append(w.book.Update(now, alert.Rules(facts)), changes...)
	changes = append(changes, w.heard(picture, now)...)
	picture.Alerts = w.book.Open()
	w.next = sooner(alert.Due(facts), w.book.Due())
	return changes
}

// renew has the next picture be the first again, after somebody else kept it, and tells
// which alerts were dismissed there.
func (w *warden) renew(dismissed []core.Alert) {
	w.former = slices.Concat(dismissed, w.book.Dismissed())
	w.book, w.began = alert.Book{}, false
}

// heard takes in what was reported since the last picture, and ends failed
// deliveries to panes that are gone.
func (w *warden) heard(picture *core.Snapshot, now time.Time) []alert.Change {
	w.mu.Lock()
	asked, edges := w.asked, w.edges
	w.asked, w.edges = nil, nil
	w.mu.Unlock()
	var changes []alert.Change
	for i := range edges {
		if edges[i].ResolvedAt.IsZero() {
			changes = append(changes, w.book.Raise(edges[i])...)
		} else {
			changes = append(changes, w.book.Resolve(alert.ID(edges[i].Type, edges[i].Subject), now)...)
		}
	}
	for _, which := range asked {
		changes = append(changes, w.book.Dismiss(which, now)...)
	}
	for _, open := range w.book.Open() {
		if open.Type == core.AlertDelivery && picture.Pane(open.Pane) == nil {
			changes = append(changes, w.book.Resolve(open.ID, now)...)
		}
	}
	return changes
}

// hear keeps what somebody reports until the next picture.
func (w *warden) hear(report *alertReport) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if report.Dismiss != nil {
		w.asked = append(w.asked, *report.Dismiss)
	}
	if report.Edge != nil {
		w.edges = append(w.edges, *report.Edge)
	}
}

// note remembers what the panes of a picture did.
func (w *warden) note(picture *core.Snapshot) {
	there := make(map[core.PaneID]bool, len(w.is))
	for _, pane := range picture.Panes() {
		there[pane.ID] = true
		if now := pane.Status.State; w.is[pane.ID] != now {
			w.was[pane.ID], w.is[pane.ID] = w.is[pane.ID], now
		}
	}
	for id := range w.is {
		if !there[id] {
			delete(w.is, id)
			delete(w.was, id)
		}
	}
}

func (w *warden) facts(picture *core.Snapshot, moved map[core.PaneID]time.Time, now time.Time) alert.Facts {
	facts := alert.Facts{
		Now: now, Snapshot: picture, Thresholds: w.thresholds, Was: w.was, Moved: moved, Lost: w.lost, Spends: w.spending(), Context: w.gauge.used(),
	}
	w.patrol.tell(&facts)
	return facts
}

// tellings are the events of what became of alerts, at a time.
func tellings(changes []alert.Change, at time.Time) []core.Event {
	events := make([]core.Event, 0, len(changes))
	for i := range changes {
		a := changes[i].Alert
		event := core.Event{
			Type: changes[i].Type, At: at, Session: a.Session, PaneID: a.Pane, Reason: a.Reason, Message: a.Message, Alert: &a,
		}
		if a.Pane != "" {
			event.Pane = a.Subject
		}
		events = append(events, event)
	}
	return events
}

// alertsOf are the alerts that changed.
func alertsOf(changes []alert.Change) []core.Alert {
	alerts := make([]core.Alert, len(changes))
	for i := range changes {
		alerts[i] = changes[i].Alert
	}
	return alerts
}

// current puts into a picture that nobody keeps the alerts that it calls for,
// with what the journal knows of them: since when, how often, and whether they
// were dismissed. A journal that fails leaves them as they are. Facts
// are what is known besides the picture.
func (f *lookout) current(ctx context.Context, picture *core.Snapshot, facts alert.Facts) {
	facts.Now, facts.Snapshot, facts.Thresholds = picture.Taken, picture, f.thresholds
	called := alert.Rules(facts)
	missed := missedPrompts(picture)
	picture.Alerts = []core.Alert{}
	if len(called)+len(missed) == 0 && !f.alarmed(ctx) {
		return
	}
	var book alert.Book
	if f.journal != nil {
		known, err := f.journal.Alerts(ctx)
		if err != nil {
			f.log.Debug("the alerts on record could not be read", "error", err)
		}
		book.Load(known)
	}
	for _, known := range book.Open() {
		if unseen(&known, picture) {
			called = append(called, known)
		}
	}
	for i := range missed {
		if !slices.ContainsFunc(called, func(a core.Alert) bool { return a.ID == missed[i].ID }) {
			called = append(called, missed[i])
		}
	}
	book.Update(picture.Taken, called)
	picture.Alerts = book.Open()
}

// alertsIn are the alerts that are about one session.
func alertsIn(alerts []core.Alert, session string) []core.Alert {
	return slices.DeleteFunc(alerts, func(a core.Alert) bool { return a.Session != session })
}

// missedPrompts are the alerts that the marks of panes call for, without what
// the journal knows of each.
func missedPrompts(picture *core.Snapshot) []core.Alert {
	var alerts []core.Alert
	for _, pane := range picture.Panes() {
		if pane.Agent.Missed.IsZero() {
			continue
		}
		alerts = append(alerts, core.Alert{
			ID: alert.ID(core.AlertDelivery, pane.Address()), Type: core.AlertDelivery, Severity: core.SeverityError, Subject: pane.Address(),
			Session: pane.Session, Pane: pane.ID, FirstSeen: pane.Agent.Missed, LastSeen: pane.Agent.Missed, Count: 1,
			Message: pane.Agent.Name + " did not take up a prompt",
		})
	}
	return alerts
}

// unseen reports whether one look cannot tell if an alert still holds.
func unseen(known *core.Alert, picture *core.Snapshot) bool {
	if known.Type == core.AlertEngineLost {
		return !picture.EngineUp
	}
	pane := picture.Pane(known.Pane)
	if pane == nil {
		return false
	}
	switch known.Type {
	case core.AlertDelivery:
		return !pane.Agent.Missed.IsZero()
	case core.AlertFileConflict:
		return true
	case core.AlertContextLow:
		return pane.Status.State != core.Exited
	case core.AlertStalled:
		return pane.Status.State == core.Working
	}
	return false
}

// Alerts returns the open alerts as of now and, if ended is true, also those on
// record that were resolved or dismissed, those of hidden sessions too. Open ones
// come first, then the most severe.
func (f *lookout) Alerts(ctx context.Context, ended bool) (_ []core.Alert, err error) {
	defer func() { err = translate("alerts", err) }()
	view := View{Brief: true, bare: true}
	if f.spends != nil {
		if view.spends, err = f.spends(ctx); err != nil {
			f.log.Warn("what was spent is not known", "error", err)
		}
	}
	picture, err := f.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	alerts := picture.Alerts
	if !ended || f.journal == nil {
		return alerts, nil
	}
	known, err := f.journal.Alerts(ctx)
	if err != nil {
		return nil, err
	}
	open := make(map[string]bool, len(alerts))
	for i := range alerts {
		open[alerts[i].ID] = true
	}
	for i := range known {
		if open[known[i].ID] {
			continue
		}
		if known[i].Open() {
			known[i].ResolvedAt = picture.Taken
		}
		alerts = append(alerts, known[i])
	}
	alert.Sort(alerts)
	return alerts, nil
}

// DismissAlerts closes open alerts until they are resolved and come anew, and
// returns them. It returns NotFound for an id that no open alert has.
func (f *lookout) DismissAlerts(ctx context.Context, which alert.Selection) (_ []core.Alert, err error) {
	defer func() { err = translate("dismiss-alert", err) }()
	open, err := f.Alerts(ctx, false)
	if err != nil {
		return nil, err
	}
	now := f.now()
	dismissed := []core.Alert{}
	for i := range open {
		if which.Names(&open[i]) {
			open[i].DismissedAt = now
			dismissed = append(dismissed, open[i])
		}
	}
	if len(dismissed) == 0 {
		if which.ID != "" {
			err = noAlert(which.ID, open)
		}
		return dismissed, err
	}
	if f.journal != nil {
		if err := f.journal.SaveAlerts(ctx, dismissed); err != nil {
			return nil, err
		}
	}
	return dismissed, f.tellAlert(ctx, &alertReport{Dismiss: &which})
}

func noAlert(id string, open []core.Alert) error {
	err := core.Errorf(core.NotFound, "no open alert has the id %q", id)
	err.Hint, err.Actions = "See 'cupola alerts' for the ids.", []string{"cupola alerts"}
	ids := make([]string, len(open))
	for i := range open {
		ids[i] = open[i].ID
	}
	err.Suggestions, err.Slip.Word = near.Words(id, ids), id
	return err
}

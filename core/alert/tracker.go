package alert

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"cupola/core"
)

// maxAlerts is the number of alerts from which on a tracker drops resolved ones.
const maxAlerts = 200

// edgeLifetime is how long an alert of an edge, such as a server's return, stays open.
const edgeLifetime = time.Minute

// Tracker tracks alerts. The zero value is empty and ready to use. It is not safe for
// concurrent use.
type Tracker struct {
	alerts map[string]*core.Alert
}

// Change is a change of one alert.
type Change struct {
	// Type is core.AlertRaised, also where it became more severe, core.AlertResolved
	// or core.AlertDismissed.
	Type  core.EventType
	Alert core.Alert
	// Escalated is true if the alert was already open and became more severe.
	Escalated bool
	// Folder is the folder of the agent that the alert is about, and Asks its question; empty if it is about none.
	Folder, Asks string
	// Lasted is how long the turn took that has finished; zero for alerts.
	Lasted time.Duration
}

// Locate sets Folder and Asks from the snapshot that led to the change: the pane's, or its session's.
func (c *Change) Locate(snapshot *core.Snapshot) {
	if session := snapshot.Session(c.Alert.Session); session != nil {
		c.Folder = session.Dir
	}
	pane := snapshot.Pane(c.Alert.Pane)
	if pane == nil {
		return
	}
	c.Asks = pane.Status.Asks
	if pane.Process.Dir != "" {
		c.Folder = pane.Process.Dir
	}
}

// TurnFinished is the type of a Change that is no alert: an agent has finished its turn. It is on no record.
const TurnFinished core.AlertType = "turn_finished"

// Load adds alerts from a record. It leaves alerts that the tracker already has unchanged.
func (t *Tracker) Load(alerts []core.Alert) {
	t.begin()
	for i := range alerts {
		if t.alerts[alerts[i].ID] == nil {
			alert := alerts[i]
			t.alerts[alert.ID] = &alert
		}
	}
}

func (t *Tracker) begin() {
	if t.alerts == nil {
		t.alerts = map[string]*core.Alert{}
	}
}

// Update replaces the alerts that the rules derive, and returns the changes. It resolves
// alerts that are not among them. An alert that is raised again increments Count. A
// dismissed one stays dismissed until it is resolved or becomes more severe, or until
// the agent asks for something else.
func (t *Tracker) Update(now time.Time, current []core.Alert) []Change {
	t.begin()
	var changes []Change
	called := make(map[string]bool, len(current))
	for i := range current {
		called[current[i].ID] = true
		if change, is := t.raise(&current[i]); is {
			changes = append(changes, change)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.alerts)) {
		alert := t.alerts[id]
		if called[id] || !alert.ResolvedAt.IsZero() || alert.Type == core.AlertDelivery ||
			isEdge(alert.Type) && now.Before(alert.LastSeen.Add(edgeLifetime)) {
			continue
		}
		alert.ResolvedAt = now
		changes = append(changes, Change{Type: core.AlertResolved, Alert: *alert})
	}
	t.forget()
	return changes
}

// isEdge reports whether an alert is about an edge, which only one snapshot shows.
func isEdge(what core.AlertType) bool {
	return what == core.AlertEngineBack || what == core.AlertFileConflict
}

// Due returns the first time at which an alert that Raise opened expires; zero if there is
// none.
func (t *Tracker) Due() time.Time {
	var first time.Time
	for _, alert := range t.alerts {
		if end := alert.LastSeen.Add(edgeLifetime); isEdge(alert.Type) && alert.ResolvedAt.IsZero() &&
			(first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

// raise opens an alert, or updates an open one.
func (t *Tracker) raise(now *core.Alert) (Change, bool) {
	alert := t.alerts[now.ID]
	switch {
	case alert == nil:
		fresh := *now
		t.alerts[now.ID] = &fresh
		return Change{Type: core.AlertRaised, Alert: fresh}, true
	case !alert.ResolvedAt.IsZero():
		count := alert.Count
		*alert = *now
		alert.Count = count + 1
		return Change{Type: core.AlertRaised, Alert: *alert}, true
	}
	again := !alert.DismissedAt.IsZero() && askedSince(now).After(alert.DismissedAt)
	alert.LastSeen, alert.Message, alert.State, alert.Reason = now.LastSeen, now.Message, now.State, now.Reason
	alert.Session, alert.Pane = now.Session, now.Pane
	if now.Severity.Compare(alert.Severity) < 0 {
		alert.Severity, alert.DismissedAt = now.Severity, time.Time{}
		return Change{Type: core.AlertRaised, Alert: *alert, Escalated: true}, true
	}
	if again {
		alert.FirstSeen, alert.Severity, alert.DismissedAt = now.FirstSeen, now.Severity, time.Time{}
		alert.Count++
		return Change{Type: core.AlertRaised, Alert: *alert}, true
	}
	return Change{}, false
}

// askedSince returns since when the agent has asked its present question, or when a lost server was last seen; zero if
// that is unknown, or for an alert about something else.
func askedSince(now *core.Alert) time.Time {
	if now.FirstSeen.Equal(now.LastSeen) || now.Type != waitingType(now.Reason) && now.Type != core.AlertEngineLost {
		return time.Time{}
	}
	return now.FirstSeen
}

// Raise opens an alert about an event that no snapshot shows, such as a prompt that an
// agent did not accept.
func (t *Tracker) Raise(alert core.Alert) []Change {
	t.begin()
	alert.ID = ID(alert.Type, alert.Subject)
	if alert.FirstSeen.IsZero() {
		alert.FirstSeen = alert.LastSeen
	}
	alert.Count = max(1, alert.Count)
	if was := t.alerts[alert.ID]; was != nil && was.ResolvedAt.IsZero() {
		was.Count++
		was.LastSeen, was.Message = alert.LastSeen, alert.Message
		return []Change{{Type: core.AlertRaised, Alert: *was}}
	}
	change, _ := t.raise(&alert)
	return []Change{change}
}

// Resolve ends an open alert, if there is one of that id.
func (t *Tracker) Resolve(id string, now time.Time) []Change {
	alert := t.alerts[id]
	if alert == nil || !alert.ResolvedAt.IsZero() {
		return nil
	}
	alert.ResolvedAt = now
	return []Change{{Type: core.AlertResolved, Alert: *alert}}
}

// Selection names alerts to dismiss: by id, those of a session, or all.
type Selection struct {
	ID, Session string
	All         bool
}

// Names reports whether the selection contains an alert.
func (s Selection) Names(alert *core.Alert) bool {
	return s.All || s.ID != "" && alert.ID == s.ID || s.Session != "" && alert.Session == s.Session
}

// Dismiss dismisses the selected open alerts and returns the changes. They stay dismissed
// until they are resolved and raised again.
func (t *Tracker) Dismiss(which Selection, now time.Time) []Change {
	var changes []Change
	for _, id := range slices.Sorted(maps.Keys(t.alerts)) {
		alert := t.alerts[id]
		if alert.Open() && which.Names(alert) {
			alert.DismissedAt = now
			changes = append(changes, Change{Type: core.AlertDismissed, Alert: *alert})
		}
	}
	return changes
}

// Reopen opens a dismissed alert again whose cause is still there, and returns the change; nil if there is none of that
// id.
func (t *Tracker) Reopen(id string, now time.Time) []Change {
	alert := t.alerts[id]
	if alert == nil || alert.DismissedAt.IsZero() || !alert.ResolvedAt.IsZero() {
		return nil
	}
	alert.DismissedAt, alert.LastSeen = time.Time{}, now
	alert.Count++
	return []Change{{Type: core.AlertRaised, Alert: *alert}}
}

// Open returns the open alerts, the most severe first, then the oldest.
func (t *Tracker) Open() []core.Alert {
	open := []core.Alert{}
	for _, alert := range t.All() {
		if alert.Open() {
			open = append(open, alert)
		}
	}
	return open
}

// Dismissed returns the dismissed alerts that are not resolved, in the order of Open.
func (t *Tracker) Dismissed() []core.Alert {
	return slices.DeleteFunc(t.All(),
		func(a core.Alert) bool { return a.DismissedAt.IsZero() || !a.ResolvedAt.IsZero() })
}

// Unresolved reports whether the alert of an id is not resolved, dismissed or not.
func (t *Tracker) Unresolved(id string) bool {
	alert := t.alerts[id]
	return alert != nil && alert.ResolvedAt.IsZero()
}

// All returns every alert: open ones first, then by severity and age.
func (t *Tracker) All() []core.Alert {
	all := make([]core.Alert, 0, len(t.alerts))
	for _, alert := range t.alerts {
		all = append(all, *alert)
	}
	Sort(all)
	return all
}

// Sort puts open alerts first, the most severe ones before others, and the
// oldest first among equals.
func Sort(alerts []core.Alert) {
	closed := func(a *core.Alert) int {
		if a.Open() {
			return 0
		}
		return 1
	}
	slices.SortFunc(alerts, func(a, t core.Alert) int {
		return cmp.Or(closed(&a)-closed(&t), a.Severity.Compare(t.Severity), a.FirstSeen.Compare(t.FirstSeen),
			cmp.Compare(a.ID, t.ID))
	})
}

// forget drops the oldest resolved alerts beyond maxAlerts.
func (t *Tracker) forget() {
	if len(t.alerts) <= maxAlerts {
		return
	}
	var over []*core.Alert
	for _, alert := range t.alerts {
		if !alert.ResolvedAt.IsZero() {
			over = append(over, alert)
		}
	}
	slices.SortFunc(over, func(a, t *core.Alert) int {
		return cmp.Or(a.ResolvedAt.Compare(t.ResolvedAt), cmp.Compare(a.ID, t.ID))
	})
	for _, alert := range over[:max(0, min(len(over), len(t.alerts)-maxAlerts))] {
		delete(t.alerts, alert.ID)
	}
}

package overview

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/wire"
	"cupola/core/near"
)

// addAlerts puts the alerts into a snapshot that it calls for, with what the journal knows of them:
// since when, how often, and whether they were dismissed. A journal that fails leaves them as they
// are. Facts are what is known besides the snapshot.
func (o *Overview) addAlerts(ctx context.Context, snapshot *core.Snapshot, facts alert.Facts) {
	facts.Now, facts.Snapshot, facts.Thresholds = snapshot.Taken, snapshot, o.Thresholds
	called := alert.Rules(facts)
	missed := missedPrompts(snapshot)
	snapshot.Alerts = []core.Alert{}
	if len(called)+len(missed) == 0 && !o.Dir.Found(ctx).Alarmed() {
		return
	}
	var book alert.Book
	if o.Journal != nil {
		known, err := o.Journal.Alerts(ctx)
		if err != nil {
			o.Log.Debug("the alerts on record could not be read", "error", err)
		}
		book.Load(known)
	}
	for _, known := range book.Open() {
		if unseen(&known, snapshot) {
			called = append(called, known)
		}
	}
	for i := range missed {
		if !slices.ContainsFunc(called, func(a core.Alert) bool { return a.ID == missed[i].ID }) {
			called = append(called, missed[i])
		}
	}
	book.Update(snapshot.Taken, called)
	snapshot.Alerts = book.Open()
}

// alertsIn are the alerts that are about one session.
func alertsIn(alerts []core.Alert, session string) []core.Alert {
	return slices.DeleteFunc(alerts, func(a core.Alert) bool { return a.Session != session })
}

// missedPrompts are the alerts that the marks of panes call for, without what
// the journal knows of each.
func missedPrompts(snapshot *core.Snapshot) []core.Alert {
	var alerts []core.Alert
	for _, pane := range snapshot.Panes() {
		if pane.Agent.Missed.IsZero() {
			continue
		}
		alerts = append(alerts, core.Alert{
			ID: alert.ID(core.AlertDelivery, pane.Address()), Type: core.AlertDelivery, Severity: core.SeverityError,
			Subject: pane.Address(), Session: pane.Session, Pane: pane.ID, FirstSeen: pane.Agent.Missed,
			LastSeen: pane.Agent.Missed, Count: 1, Message: pane.Agent.Name + " did not take up a prompt",
		})
	}
	return alerts
}

// unseen reports whether one look cannot tell if an alert still holds.
func unseen(known *core.Alert, snapshot *core.Snapshot) bool {
	if known.Type == core.AlertEngineLost {
		return !snapshot.EngineUp
	}
	pane := snapshot.Pane(known.Pane)
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
func (o *Overview) Alerts(ctx context.Context, ended bool) (_ []core.Alert, err error) {
	defer func() { err = fault.Wrap("alerts", err) }()
	var spends []alert.Spend
	if o.Spends != nil {
		if spends, err = o.Spends(ctx); err != nil {
			o.Log.Warn("what was spent is not known", "error", err)
		}
	}
	if spends == nil {
		spends = o.passed(ctx)
	}
	snapshot, err := o.snapshot(ctx, observe.View{Brief: true}, spends)
	if err != nil {
		return nil, err
	}
	alerts := snapshot.Alerts
	if !ended || o.Journal == nil {
		return alerts, nil
	}
	known, err := o.Journal.Alerts(ctx)
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
			known[i].ResolvedAt = snapshot.Taken
		}
		alerts = append(alerts, known[i])
	}
	alert.Sort(alerts)
	return alerts, nil
}

// DismissAlerts closes open alerts until they are resolved and come anew, and
// returns them. It returns NotFound for an id that no open alert has.
func (o *Overview) DismissAlerts(ctx context.Context, which alert.Selection) (_ []core.Alert, err error) {
	defer func() { err = fault.Wrap("dismiss-alert", err) }()
	open, err := o.Alerts(ctx, false)
	if err != nil {
		return nil, err
	}
	now := o.Now()
	dismissed := []core.Alert{}
	for i := range open {
		if which.Names(&open[i]) {
			open[i].DismissedAt = now
			dismissed = append(dismissed, open[i])
		}
	}
	if len(dismissed) == 0 {
		if which.ID != "" {
			err = noAlertError(which.ID, open)
		}
		return dismissed, err
	}
	if o.Journal != nil {
		if err := o.Journal.SaveAlerts(ctx, dismissed); err != nil {
			return nil, err
		}
	}
	return dismissed, o.Announcer.TellAlert(ctx, &wire.AlertReport{Dismiss: &which})
}

// noAlertError is the error of an id that no open alert has.
func noAlertError(id string, open []core.Alert) error {
	err := core.Errorf(core.NotFound, "no open alert has the id %q", id)
	err.Hint, err.Actions = "See 'cupola alerts' for the ids.", []string{"cupola alerts"}
	ids := make([]string, len(open))
	for i := range open {
		ids[i] = open[i].ID
	}
	err.Suggestions, err.Slip.Word = near.Words(id, ids), id
	return err
}

// passed returns the ceilings that are known to be passed. What is not known
// leaves the snapshot as it is.
func (o *Overview) passed(ctx context.Context) []alert.Spend {
	if o.Passed == nil {
		return nil
	}
	spends, err := o.Passed(ctx)
	if err != nil {
		o.Log.Debug("which ceilings are passed is not known", "error", err)
	}
	return spends
}

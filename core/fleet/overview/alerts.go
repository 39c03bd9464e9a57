package overview

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/wire"
	"cupola/core/text/near"
)

// addAlerts adds the alerts that a snapshot calls for, with their history from the journal: since when, how
// often, and whether they were dismissed. If the journal fails they stay as computed. Facts hold everything
// else that rules need.
func (o *Overview) addAlerts(ctx context.Context, snapshot *core.Snapshot, facts alert.Facts) {
	facts.Now, facts.Snapshot, facts.Thresholds = snapshot.Taken, snapshot, o.opts.Thresholds
	called := alert.Rules(facts)
	missed := missedPrompts(snapshot)
	snapshot.Alerts = []core.Alert{}
	if len(called)+len(missed) == 0 && !o.opts.Dir.Found(ctx).Alarmed() {
		return
	}
	var tracker alert.Tracker
	if o.opts.Journal != nil {
		known, err := o.opts.Journal.Alerts(ctx)
		if err != nil {
			o.opts.Log.Debug("the alerts on record could not be read", "error", err)
		}
		tracker.Load(known)
	}
	for _, known := range tracker.Open() {
		if unseen(&known, snapshot) {
			called = append(called, known)
		}
	}
	for i := range missed {
		if !slices.ContainsFunc(called, func(a core.Alert) bool { return a.ID == missed[i].ID }) {
			called = append(called, missed[i])
		}
	}
	tracker.Update(snapshot.Taken, called)
	snapshot.SetAlerts(tracker.Open())
}

// alertsIn returns the alerts about one session.
func alertsIn(alerts []core.Alert, session string) []core.Alert {
	return slices.DeleteFunc(alerts, func(a core.Alert) bool { return a.Session != session })
}

// missedPrompts returns the alerts that tags on panes call for, without their history.
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

// unseen reports whether a single snapshot cannot decide if an alert still holds.
func unseen(known *core.Alert, snapshot *core.Snapshot) bool {
	undecided := known.Type.Kind().Undecided
	return undecided != nil && undecided(snapshot, snapshot.Pane(known.Pane))
}

// Alerts returns the open alerts and, if ended is true, also the recorded ones that were resolved or
// dismissed. It includes alerts of hidden sessions. Open alerts come first, then the most severe.
func (o *Overview) Alerts(ctx context.Context, ended bool) (_ []core.Alert, err error) {
	defer func() { err = fault.Wrap("alerts", err) }()
	var spends []alert.Spend
	if o.opts.Spends != nil {
		if spends, err = o.opts.Spends(ctx); err != nil {
			o.opts.Log.Warn("what was spent is not known", "error", err)
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
	if !ended || o.opts.Journal == nil {
		return alerts, nil
	}
	known, err := o.opts.Journal.Alerts(ctx)
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

// DismissAlerts dismisses open alerts until they are resolved and raised again, and returns them. It returns
// NotFound for an id without an open alert.
func (o *Overview) DismissAlerts(ctx context.Context, which alert.Selection) (_ []core.Alert, err error) {
	defer func() { err = fault.Wrap("dismiss-alert", err) }()
	open, err := o.Alerts(ctx, false)
	if err != nil {
		return nil, err
	}
	now := o.opts.Now()
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
	if o.opts.Journal != nil {
		if err := o.opts.Journal.SaveAlerts(ctx, dismissed); err != nil {
			return nil, err
		}
	}
	return dismissed, o.opts.Announcer.ReportAlert(ctx, &wire.AlertReport{Dismiss: &which})
}

// ReopenAlerts opens dismissed alerts again whose cause is still there, and returns them.
func (o *Overview) ReopenAlerts(ctx context.Context, ids []string) (_ []core.Alert, err error) {
	defer func() { err = fault.Wrap("undo", err) }()
	all, err := o.Alerts(ctx, true)
	if err != nil {
		return nil, err
	}
	var opened []core.Alert
	var known []string
	for i := range all {
		one := &all[i]
		if slices.Contains(ids, one.ID) && !one.DismissedAt.IsZero() && one.ResolvedAt.IsZero() {
			one.DismissedAt = time.Time{}
			one.Count++ // a record that is raised again is open
			opened, known = append(opened, *one), append(known, one.ID)
		}
	}
	if len(opened) == 0 {
		return nil, nil
	}
	if o.opts.Journal != nil {
		if err := o.opts.Journal.SaveAlerts(ctx, opened); err != nil {
			return nil, err
		}
	}
	return opened, o.opts.Announcer.ReportAlert(ctx, &wire.AlertReport{Reopen: known})
}

// noAlertError reports an id without an open alert.
func noAlertError(id string, open []core.Alert) error {
	err := core.Errorf(core.NotFound, "no open alert has the id %q", id)
	err.Remedies = []core.Remedy{core.RemedyListAlerts}
	ids := core.Map(open, func(a core.Alert) string { return a.ID })
	err.Suggestions, err.Slip.Word = near.Words(id, ids), id
	return err
}

// passed returns the ceilings known to be passed. Unknown ones do not change the snapshot.
func (o *Overview) passed(ctx context.Context) []alert.Spend {
	if o.opts.Passed == nil {
		return nil
	}
	spends, err := o.opts.Passed(ctx)
	if err != nil {
		o.opts.Log.Debug("which ceilings are passed is not known", "error", err)
	}
	return spends
}

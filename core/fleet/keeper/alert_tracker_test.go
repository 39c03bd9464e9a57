package keeper

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

func TestAlertsOutliveTheKeeperThatRaisedThem(t *testing.T) {
	first := newAlertTracker(alert.Defaults())
	snapshot := fleettest.WaitingSnapshot()
	if changes := first.update(nil, snapshot, nil, fleettest.Noon); len(changes) != 1 || len(snapshot.Alerts) != 1 {
		t.Fatalf("got %+v", changes)
	}
	next := newAlertTracker(alert.Defaults())
	later := fleettest.WaitingSnapshot()
	changes := next.update(snapshot, later, nil, fleettest.Noon.Add(time.Second))
	if len(changes) != 0 || len(later.Alerts) != 1 {
		t.Errorf("raised again: %+v", changes)
	}
	changes = next.update(later, fleettest.Snapshot(), nil, fleettest.Noon.Add(time.Minute))
	if len(changes) != 1 || changes[0].Type != core.AlertResolved {
		t.Errorf("got %+v", changes)
	}
}

func TestWhatWasDismissedStaysSoWithTheNextKeeper(t *testing.T) {
	h := houseWith(t, "a")
	h.Change.Lost, h.Change.Listing = nil, fleettest.Listing("a")
	first := h.member(t, Interest{})
	r := h.seated(t, first)
	r.until(core.Resynced)
	h.Emit(engine.Change{Lost: engine.ErrNoServer})
	r.until(core.AlertRaised)
	first.alerts.report(&wire.AlertReport{Dismiss: &alert.Selection{All: true}})
	wakeUp(first.nudges)
	r.until(core.AlertDismissed)
	r.end()
	next := h.seated(t, h.member(t, Interest{}))
	if e := next.until(core.Resynced); len(e) != 1 || len(e[0].Snapshot.Alerts) != 0 {
		t.Fatalf("%q; open are %+v", fleettest.EventLines(e), e[0].Snapshot.Alerts)
	}
	h.Show("a")
	if e := next.until(core.AlertResolved); !slices.ContainsFunc(e, func(e core.Event) bool {
		return e.Type == core.AlertRaised && e.Alert.Type == core.AlertEngineBack
	}) && next.next().Alert.Type != core.AlertEngineBack {
		t.Errorf("%q", fleettest.EventLines(e))
	}
}

func TestAKeeperThatTakesOverAgainRaisesNothingTwice(t *testing.T) {
	w := newAlertTracker(alert.Defaults())
	w.update(nil, fleettest.Snapshot(), nil, fleettest.Noon)
	snapshot := fleettest.WaitingSnapshot()
	newAlertTracker(alert.Defaults()).update(nil, snapshot, nil, fleettest.Noon)
	w.renew(nil)
	if changes := w.update(snapshot, fleettest.WaitingSnapshot(), nil,
		fleettest.Noon.Add(time.Second)); len(changes) != 0 {
		t.Errorf("raised again: %+v", changes)
	}
}

func TestHiddenAlertsAreNotNotified(t *testing.T) {
	snapshot := &core.Snapshot{Sessions: []core.Session{{Name: "theirs", Foreign: true}, {Name: "mine"}}}
	for hides, want := range map[bool][]string{true: {"mine", ""}, false: {"theirs", "mine", ""}} {
		var notified []string
		h := notifier{func(c alert.Change) { notified = append(notified, c.Alert.Session) }, foreignFilter(hides)}
		h.forward([]alert.Change{
			{Type: core.AlertRaised, Alert: core.Alert{Session: "theirs"}},
			{Type: core.AlertRaised, Alert: core.Alert{Session: "mine"}},
			{Type: core.AlertRaised},
		}, nil, snapshot)
		if !slices.Equal(notified, want) {
			t.Errorf("where foreign sessions are hidden (%t), it tells of %q, not %q", hides, notified, want)
		}
	}
}

func TestAFinishedTurnIsNotified(t *testing.T) {
	turn := func(state core.State, since time.Duration, active bool, attached int) *core.Snapshot {
		return &core.Snapshot{Sessions: []core.Session{{Name: "api", Attached: attached, Panes: []core.Pane{{
			ID: "%1", Session: "api", Ordinal: 1, Agent: core.Agent{Kind: "claude", Name: "cc_1"},
			Status: core.Status{State: state, Since: fleettest.Noon.Add(since), Said: "all pass"},
			View:   core.Viewport{Active: active}, Process: core.Process{Dir: "/tmp/api"},
		}}}}}
	}
	var told []alert.Change
	h := notifier{func(c alert.Change) { told = append(told, c) }, false}
	worked := turn(core.Working, 0, true, 0)
	h.forward(nil, worked, turn(core.Waiting, time.Minute, true, 0))
	h.forward(nil, worked, turn(core.Idle, time.Minute, true, 1)) // the user looks at it
	h.forward(nil, nil, turn(core.Idle, time.Minute, true, 0))
	snoozed := turn(core.Idle, time.Minute, true, 0)
	snoozed.Pane("%1").Agent.Snoozed = fleettest.Noon.Add(time.Hour)
	h.forward(nil, worked, snoozed)
	if len(told) != 0 {
		t.Fatalf("%+v", told)
	}
	h.forward(nil, worked, turn(core.Idle, 90*time.Second, true, 0))
	if len(told) != 1 || told[0].Lasted != 90*time.Second || told[0].Folder != "/tmp/api" ||
		told[0].Alert.Type != alert.TurnFinished || told[0].Alert.Message != "cc_1 has finished after 1m30s: all pass" {
		t.Errorf("%+v", told)
	}
}

func TestWhatIsReportedOfAlertsIsInTheNextSnapshot(t *testing.T) {
	w := newAlertTracker(alert.Defaults())
	snapshot := fleettest.WaitingSnapshot()
	w.update(nil, snapshot, nil, fleettest.Noon)
	pane := snapshot.Panes()[0]
	w.report(&wire.AlertReport{Edge: &core.Alert{
		Type: core.AlertDelivery, Severity: core.SeverityError, Subject: pane.Address(),
		Pane: pane.ID, LastSeen: fleettest.Noon,
	}})
	w.report(&wire.AlertReport{Dismiss: &alert.Selection{ID: snapshot.Alerts[0].ID}})
	next := fleettest.WaitingSnapshot()
	changes := w.update(snapshot, next, nil, fleettest.Noon.Add(time.Second))
	events := alertEvents(changes, fleettest.Noon)
	if len(events) != 2 || events[0].Type != core.AlertRaised || events[1].Type != core.AlertDismissed ||
		events[0].Alert.Type != core.AlertDelivery {
		t.Fatalf("got %+v", events)
	}
	if len(next.Alerts) != 1 || next.Alerts[0].Type != core.AlertDelivery {
		t.Errorf("open are %+v", next.Alerts)
	}
	empty := &core.Snapshot{EngineUp: true}
	if changes := w.update(next, empty, nil, fleettest.Noon.Add(time.Minute)); len(changes) != 2 ||
		len(empty.Alerts) != 0 {
		t.Errorf("a pane that is gone leaves %+v", empty.Alerts)
	}
}

// alertJournal is a journal of alerts alone.
type alertJournal struct {
	mu     sync.Mutex
	alerts map[string]core.Alert
	broken error
}

func (m *alertJournal) Alerts(context.Context) ([]core.Alert, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	alerts := []core.Alert{}
	for _, a := range m.alerts {
		alerts = append(alerts, a)
	}
	slices.SortFunc(alerts, func(a, b core.Alert) int { return len(a.ID) - len(b.ID) })
	return alerts, m.broken
}

func (m *alertJournal) SaveAlerts(_ context.Context, alerts []core.Alert) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range alerts {
		m.alerts[a.ID] = a
	}
	return m.broken
}

func TestSingleSnapshotKnowsDismissedAlerts(t *testing.T) {
	m := &alertJournal{alerts: map[string]core.Alert{}}
	eng, kinds := fleettest.NewScriptedEngine(), fleettest.BuiltinKinds(t)
	eng.Dialog = true
	view := overviewOf(openStreams(t, kinds, "", Options{Engine: eng}), kinds, m)
	alerts := func() []core.Alert {
		t.Helper()
		snapshot, err := view.Snapshot(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		return snapshot.Alerts
	}
	open := alerts()
	if len(open) != 1 || open[0].Type != core.AlertApproval {
		t.Fatalf("got %+v", open)
	}
	dismissed := open[0]
	dismissed.DismissedAt = fleettest.Noon
	m.alerts[dismissed.ID] = dismissed
	if open := alerts(); len(open) != 0 {
		t.Errorf("got %+v", open)
	}
	m.broken = errors.New("broken")
	m.alerts = nil
	if open := alerts(); len(open) != 1 {
		t.Errorf("a broken journal leaves %+v", open)
	}
}

func TestHideForeignStillNotifiesWithTellForeign(t *testing.T) {
	for notifies, hides := range map[bool]bool{true: false, false: true} {
		f := openStreams(t, nil, "", Options{HideForeign: true, NotifyForeign: notifies})
		if m := f.newMember(rundir.Files{}, Interest{}); bool(m.notifier.filter) != hides {
			t.Errorf("told of foreign sessions: %t, and notifications are hidden: %t", notifies, m.notifier.filter)
		}
	}
}

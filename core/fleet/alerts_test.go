package fleet

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
)

// aWaiting is a picture with an agent that waits for an approval.
func aWaiting() *core.Snapshot {
	picture := aPicture(core.Session{Name: "api", Panes: []core.Pane{{ID: "%1", Session: "api", Ordinal: 1}}})
	pane := picture.Panes()[0]
	pane.Agent = core.Agent{Name: "cc_1", Kind: "claude"}
	pane.Status = core.Status{State: core.Waiting, Reason: core.ReasonApproval, Since: noon, Evidence: []string{"screen approval: touch x?"}}
	return picture
}

func TestAlertsOutliveTheKeeperThatRaisedThem(t *testing.T) {
	first := newWarden(alert.Defaults())
	picture := aWaiting()
	if changes := first.take(nil, picture, nil, noon); len(changes) != 1 || len(picture.Alerts) != 1 {
		t.Fatalf("got %+v", changes)
	}
	next := newWarden(alert.Defaults())
	later := aWaiting()
	if changes := next.take(picture, later, nil, noon.Add(time.Second)); len(changes) != 0 || len(later.Alerts) != 1 {
		t.Errorf("raised again: %+v", changes)
	}
	if changes := next.take(later, aPicture(), nil, noon.Add(time.Minute)); len(changes) != 1 || changes[0].Type != core.AlertResolved {
		t.Errorf("got %+v", changes)
	}
}

func TestWhatWasDismissedStaysSoWithTheNextKeeper(t *testing.T) {
	h := houseWith(t, "a")
	h.change.Lost, h.change.Listing = nil, listing("a")
	first := h.member(t, Interest{})
	r := h.seated(t, first)
	r.until(core.Resynced)
	h.play(engine.Change{Lost: engine.ErrNoServer})
	r.until(core.AlertRaised)
	first.warden.hear(&alertReport{Dismiss: &alert.Selection{All: true}})
	poke(first.nudges)
	r.until(core.AlertDismissed)
	r.end()
	next := h.seated(t, h.member(t, Interest{}))
	if e := next.until(core.Resynced); len(e) != 1 || len(e[0].Snapshot.Alerts) != 0 {
		t.Fatalf("%q; open are %+v", told(e), e[0].Snapshot.Alerts)
	}
	h.show("a")
	if e := next.until(core.AlertResolved); !slices.ContainsFunc(e, func(e core.Event) bool {
		return e.Type == core.AlertRaised && e.Alert.Type == core.AlertEngineBack
	}) && next.next().Alert.Type != core.AlertEngineBack {
		t.Errorf("%q", told(e))
	}
}

func TestAKeeperThatTakesOverAgainRaisesNothingTwice(t *testing.T) {
	w := newWarden(alert.Defaults())
	w.take(nil, aPicture(), nil, noon)
	picture := aWaiting()
	newWarden(alert.Defaults()).take(nil, picture, nil, noon)
	w.renew(nil)
	if changes := w.take(picture, aWaiting(), nil, noon.Add(time.Second)); len(changes) != 0 {
		t.Errorf("raised again: %+v", changes)
	}
}

func TestNobodyIsToldOfAlertsBehindTheVeil(t *testing.T) {
	picture := &core.Snapshot{Sessions: []core.Session{{Name: "theirs", Foreign: true}, {Name: "mine"}}}
	for hides, want := range map[bool][]string{true: {"mine", ""}, false: {"theirs", "mine", ""}} {
		var told []string
		h := herald{func(c alert.Change) { told = append(told, c.Alert.Session) }, veil(hides)}
		h.tell([]alert.Change{{Alert: core.Alert{Session: "theirs"}}, {Alert: core.Alert{Session: "mine"}}, {Alert: core.Alert{}}}, picture)
		if !slices.Equal(told, want) {
			t.Errorf("where foreign sessions are hidden (%t), it tells of %q, not %q", hides, told, want)
		}
	}
}

func TestWhatIsReportedOfAlertsIsInTheNextPicture(t *testing.T) {
	w := newWarden(alert.Defaults())
	picture := aWaiting()
	w.take(nil, picture, nil, noon)
	pane := picture.Panes()[0]
	w.hear(&alertReport{Edge: &core.Alert{Type: core.AlertDelivery, Severity: core.SeverityError, Subject: pane.Address(), Pane: pane.ID, LastSeen: noon}})
	w.hear(&alertReport{Dismiss: &alert.Selection{ID: picture.Alerts[0].ID}})
	next := aWaiting()
	changes := w.take(picture, next, nil, noon.Add(time.Second))
	events := tellings(changes, noon)
	if len(events) != 2 || events[0].Type != core.AlertRaised || events[1].Type != core.AlertDismissed || events[0].Alert.Type != core.AlertDelivery {
		t.Fatalf("got %+v", events)
	}
	if len(next.Alerts) != 1 || next.Alerts[0].Type != core.AlertDelivery {
		t.Errorf("open are %+v", next.Alerts)
	}
	empty := &core.Snapshot{EngineUp: true}
	if changes := w.take(next, empty, nil, noon.Add(time.Minute)); len(changes) != 2 || len(empty.Alerts) != 0 {
		t.Errorf("a pane that is gone leaves %+v", empty.Alerts)
	}
}

// minutes is a journal of alerts alone.
type minutes struct {
	Journal
	mu     sync.Mutex
	alerts map[string]core.Alert
	broken error
}

func (m *minutes) Alerts(context.Context) ([]core.Alert, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	alerts := []core.Alert{}
	for _, a := range m.alerts {
		alerts = append(alerts, a)
	}
	slices.SortFunc(alerts, func(a, b core.Alert) int { return len(a.ID) - len(b.ID) })
	return alerts, m.broken
}

func (m *minutes) SaveAlerts(_ context.Context, alerts []core.Alert) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range alerts {
		m.alerts[a.ID] = a
	}
	return m.broken
}

func TestWhoLooksOnceSeesWhatWasDismissed(t *testing.T) {
	m := &minutes{alerts: map[string]core.Alert{}}
	f := Open(Options{Kinds: kindsFor(t), Journal: m, Now: func() time.Time { return noon }})
	picture := aWaiting()
	f.current(t.Context(), picture, alert.Facts{})
	if len(picture.Alerts) != 1 || picture.Alerts[0].Type != core.AlertApproval {
		t.Fatalf("got %+v", picture.Alerts)
	}
	dismissed := picture.Alerts[0]
	dismissed.DismissedAt = noon
	m.alerts[dismissed.ID] = dismissed
	f.current(t.Context(), picture, alert.Facts{})
	if len(picture.Alerts) != 0 {
		t.Errorf("got %+v", picture.Alerts)
	}
	m.broken = errors.New("broken")
	m.alerts = nil
	f.current(t.Context(), picture, alert.Facts{})
	if len(picture.Alerts) != 1 {
		t.Errorf("a broken journal leaves %+v", picture.Alerts)
	}
}

func TestAProjectThatHidesSessionsKeepsNobodyFromBeingTold(t *testing.T) {
	for tell, hides := range map[bool]bool{true: false, false: true} {
		f := Open(Options{HideForeign: true, TellForeign: tell})
		if m := newMember(&f.lookout, engine.Info{}, Interest{}); bool(m.herald.veil) != hides {
			t.Errorf("told of foreign sessions: %t, and notifications are hidden: %t", tell, m.herald.veil)
		}
	}
}

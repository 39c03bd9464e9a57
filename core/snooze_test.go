package core_test

import (
	"testing"
	"time"

	"cupola/core"
)

func TestASnoozeEndsAtATimeThatIsNear(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 2, 28, 14, 30, 10, 500, zone)
	at := func(month time.Month, day, hour, minute, second int) time.Time {
		return time.Date(2026, month, day, hour, minute, second, 0, zone)
	}
	for text, want := range map[string]time.Time{
		"\t2h": at(2, 28, 16, 30, 10), "off": {}, "30m": at(2, 28, 15, 0, 10), "1d": at(3, 1, 14, 30, 10),
		"15:04": at(2, 28, 15, 4, 0), "9:00": at(3, 1, 9, 0, 0), "14:30": at(3, 1, 14, 30, 0),
		"tomorrow": at(3, 1, 9, 0, 0), "2026-03-02T00:00:00Z": at(3, 2, 2, 0, 0), "30d": at(3, 30, 14, 30, 10),
	} {
		if got, err := core.ParseSnooze(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "30", "0s", "-5m", "25:00", "12:60", "soon", "31d", "99999999w", "2026-02-28T00:00:00Z",
		"2027-01-01T00:00:00Z", "\x1b[2J",
	} {
		if until, err := core.ParseSnooze(text, now); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%q is %v, %v", text, until, err)
		}
	}
}

func TestASnoozedAgentNeedsNobodyAndSaysUntilWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 11, 0, 0, 0, time.Local)
	snapshot := core.Snapshot{Sessions: []core.Session{{Name: "api", Panes: []core.Pane{
		{ID: "%1", Agent: core.Agent{Kind: "claude"}, Status: core.Status{State: core.Waiting, Asks: "go test"}},
		{ID: "%2", Agent: core.Agent{Kind: "claude"}, Status: core.Status{
			State: core.Idle, Notes: []core.Note{core.NoteDone},
		}},
	}}}}
	alerts := func() []core.Alert { return []core.Alert{{ID: "a", Pane: "%1"}, {ID: "b", Pane: "%2"}, {ID: "c"}} }
	panes := snapshot.Panes()
	snapshot.SetAlerts(alerts())
	if !panes[0].NeedsUser() || !panes[1].IsDone() || len(snapshot.Alerts) != 3 || snapshot.Counts().Snoozed != 0 {
		t.Fatal("the agents call nobody before they are snoozed")
	}
	for _, pane := range panes {
		pane.Agent.Snoozed = now.Add(4 * time.Hour)
	}
	snapshot.SetAlerts(alerts())
	if len(snapshot.PanesNeedingUser()) != 0 || panes[1].IsDone() || snapshot.Counts().Snoozed != 2 ||
		len(snapshot.Alerts) != 1 {
		t.Errorf("%+v, %+v", snapshot.Counts(), snapshot.Alerts)
	}
	const want = "snoozed until 15:00; asks: go test"
	if got := panes[0].Why(now); got.Brief() != want || got.String() != want {
		t.Errorf("%+v", got)
	}
}

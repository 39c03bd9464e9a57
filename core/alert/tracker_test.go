package alert_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/system/disk"
)

// about are alerts of a type about panes.
func about(what core.AlertType, severity core.Severity, panes ...string) []core.Alert {
	var alerts []core.Alert
	for i, pane := range panes {
		session, _, _ := strings.Cut(pane, ".")
		at := noon.Add(time.Duration(i) * time.Second)
		alerts = append(alerts, core.Alert{
			ID: alert.ID(what, pane), Type: what, Severity: severity, Subject: pane, Session: session, FirstSeen: at,
			LastSeen: at, Count: 1,
		})
	}
	return alerts
}

// subjects returns the subjects of alerts, in their order.
func subjects(alerts []core.Alert) string {
	var all []string
	for i := range alerts {
		all = append(all, alerts[i].Subject)
	}
	return strings.Join(all, " ")
}

func TestOnlyWhatIsMeantIsDismissed(t *testing.T) {
	for _, test := range []struct {
		which alert.Selection
		left  string
	}{
		{alert.Selection{}, "api.1 api.2 web.1"},
		{alert.Selection{ID: "waiting_question:api.2"}, "api.1 web.1"},
		{alert.Selection{ID: "waiting_question:api"}, "api.1 api.2 web.1"},
		{alert.Selection{Session: "api"}, "web.1"},
		{alert.Selection{Session: "ap"}, "api.1 api.2 web.1"},
		{alert.Selection{All: true}, ""},
	} {
		b := &alert.Tracker{}
		b.Update(noon, about(core.AlertQuestion, core.SeverityWarning, "api.1", "api.2", "web.1"))
		changes := b.Dismiss(test.which, noon)
		if left := subjects(b.Open()); left != test.left || len(changes) != 3-len(strings.Fields(test.left)) {
			t.Errorf("%+v: %q are left after %v", test.which, left, kinds(changes))
		}
		if again := b.Dismiss(test.which, noon); len(again) != 0 {
			t.Errorf("%+v: dismissed twice: %v", test.which, kinds(again))
		}
	}
}

func TestAPromptThatWasNotTakenHoldsUpNoOtherAlert(t *testing.T) {
	b := &alert.Tracker{}
	b.Update(noon, about(core.AlertQuestion, core.SeverityWarning, "api.1"))
	b.Raise(about(core.AlertDelivery, core.SeverityError, "api.1")[0])
	changes := b.Update(noon.Add(time.Hour), nil)
	if len(changes) != 1 || changes[0].Type != core.AlertResolved || changes[0].Alert.Type != core.AlertQuestion {
		t.Errorf("got %+v", changes)
	}
	if open := b.Open(); len(open) != 1 || open[0].Type != core.AlertDelivery {
		t.Errorf("open are %+v", open)
	}
}

func TestAlertsAreInTheOrderOfTheirWeight(t *testing.T) {
	over := about(core.AlertAuth, core.SeverityError, "api.4")
	over[0].ResolvedAt = noon
	alerts := slices.Concat(over, about(core.AlertIdle, core.SeverityInfo, "api.1"),
		about(core.AlertQuestion, core.SeverityWarning, "api.3", "api.2"),
		about(core.AlertPlan, core.SeverityCritical, "web.1"))
	alert.Sort(alerts)
	if got := subjects(alerts); got != "web.1 api.3 api.2 api.1 api.4" {
		t.Errorf("got %s", got)
	}
}

func TestAnAgentWithoutANameIsCalledByItsKind(t *testing.T) {
	snapshot := fleet(since(core.Errored, core.ReasonServer, 0), since(core.Errored, core.ReasonServer, 0))
	snapshot.Sessions[0].Panes[1].Agent.Name = ""
	got := alert.Rules(alert.Facts{Now: noon, Snapshot: snapshot, Thresholds: alert.Defaults()})
	if len(got) != 2 || got[0].Message != "cc_1 has failed: the line" ||
		got[1].Message != "claude has failed: the line" {
		t.Errorf("got %+v", got)
	}
}

func TestAFileConflictTakesTwoPanesThatAreThere(t *testing.T) {
	snapshot := fleet(since(core.Working, "", 0), since(core.Working, "", 0))
	conflict := func(path string, panes ...core.PaneID) alert.Conflict {
		return alert.Conflict{Tree: "/src", Path: path, Panes: panes, At: noon}
	}
	got := alert.Rules(alert.Facts{Now: noon, Snapshot: snapshot, Conflicts: []alert.Conflict{
		conflict("a.go", "%1", "%9"), conflict("b.go", "%2"), conflict("c.go", "%1", "%2"),
	}})
	if len(got) != 1 || got[0].Message != "api.1 and api.2 changed c.go" || got[0].Subject != "/src/c.go" ||
		got[0].Session != "api" || got[0].Pane != "%2" {
		t.Errorf("got %+v", got)
	}
}

func TestADiskOfUnknownSizeIsNotFull(t *testing.T) {
	facts := alert.Facts{
		Now: noon, Snapshot: fleet(), Thresholds: alert.Defaults(),
		Disks: []alert.Disk{{Path: "/odd"}, {"/full", disk.Space{Total: 1 << 40, Free: 1 << 20}}},
	}
	if got := alert.Rules(facts); subjects(got) != "/full" {
		t.Errorf("got %+v", got)
	}
}

package alert_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/system/disk"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// fleet returns a snapshot of one session whose agents are in these statuses.
func fleet(statuses ...core.Status) *core.Snapshot {
	session := core.Session{Name: "api"}
	for i, status := range statuses {
		session.Panes = append(session.Panes, core.Pane{
			ID: core.PaneID(fmt.Sprintf("%%%d", i+1)), Session: "api", Ordinal: i + 1, Status: status,
			Agent: core.Agent{Name: fmt.Sprintf("cc_%d", i+1), Kind: "claude"},
		})
	}
	return &core.Snapshot{EngineUp: true, Sessions: []core.Session{session}}
}

func since(state core.State, reason core.Reason, ago time.Duration, notes ...core.Note) core.Status {
	return core.Status{
		State: state, Reason: reason, Since: noon.Add(-ago), Notes: notes,
		Evidence: []string{"screen rule: the line"},
	}
}

func TestRules(t *testing.T) {
	for name, test := range map[string]struct {
		status core.Status
		was    core.State
		moved  time.Duration
		want   string
	}{
		"approval": {
			status: since(core.Waiting, core.ReasonApproval, time.Minute),
			want:   "waiting_approval warning",
		},
		"approval for long": {
			status: since(core.Waiting, core.ReasonApproval, 10*time.Minute),
			want:   "waiting_approval critical",
		},
		"approval of old": {
			status: core.Status{State: core.Waiting, Reason: core.ReasonApproval},
			want:   "waiting_approval warning",
		},
		"question": {
			status: since(core.Waiting, core.ReasonQuestion, 0),
			want:   "waiting_question warning",
		},
		"another dialog": {status: since(core.Waiting, core.ReasonDialog, 0), want: "waiting_question warning"},
		"plan": {
			status: since(core.Waiting, core.ReasonPlan, time.Hour),
			want:   "waiting_plan critical",
		},
		"login": {
			status: since(core.Waiting, core.ReasonLogin, time.Hour),
			want:   "waiting_login warning",
		},
		"trust": {
			status: since(core.Waiting, core.ReasonTrust, time.Hour),
			want:   "waiting_trust warning",
		},
		"error":   {status: since(core.Errored, core.ReasonServer, 0), want: "agent_error error"},
		"auth":    {status: since(core.Errored, core.ReasonAuth, 0), want: "auth_failed error"},
		"billing": {status: since(core.Errored, core.ReasonBilling, 0), want: "billing error"},
		"limit":   {status: since(core.Limited, core.ReasonRateLimit, 0), want: "rate_limited warning"},
		"ended while it worked": {
			status: since(core.Exited, core.ReasonFinished, 0), was: core.Working,
			want: "agent_exited error",
		},
		"ended": {
			status: since(core.Exited, core.ReasonFinished, 0), was: core.Idle,
			want: "agent_exited info",
		},
		"killed":  {status: since(core.Exited, core.ReasonKilled, 0), want: "agent_exited error"},
		"working": {status: since(core.Working, "", time.Hour), moved: time.Minute, want: ""},
		"stalled": {
			status: since(core.Working, "", time.Hour), moved: 5 * time.Minute,
			want: "stalled warning",
		},
		"movement not known": {status: since(core.Working, "", time.Hour), want: ""},
		"idle":               {status: since(core.Idle, "", 29*time.Minute), want: ""},
		"idle for long":      {status: since(core.Idle, "", 30*time.Minute), want: "idle_too_long info"},
		"context":            {status: since(core.Working, "", 0, core.NoteContextLow), want: "context_low warning"},
		"retrying":           {status: since(core.Working, "", 0, core.NoteRetrying), want: ""},
		"starting":           {status: since(core.Starting, "", 0), want: ""},
		"unknown":            {status: core.Status{State: core.Unknown}, want: ""},
	} {
		facts := alert.Facts{
			Now: noon, Snapshot: fleet(test.status), Thresholds: alert.Defaults(),
			Was: map[core.PaneID]core.State{"%1": test.was},
		}
		if test.moved > 0 {
			facts.Moved = map[core.PaneID]time.Time{"%1": noon.Add(-test.moved)}
		}
		var got []string
		for _, a := range alert.Rules(facts) {
			got = append(got, string(a.Type)+" "+string(a.Severity))
			if a.ID != string(a.Type)+":api.1" || a.Pane != "%1" || a.Session != "api" || a.Count != 1 ||
				a.Message == "" || a.FirstSeen.IsZero() {
				t.Errorf("%s: %+v", name, a)
			}
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestASnoozedAgentHasNoAlertUntilItsTime(t *testing.T) {
	snapshot := fleet(since(core.Waiting, core.ReasonApproval, time.Minute), since(core.Waiting, "", time.Minute))
	until := noon.Add(20 * time.Minute)
	snapshot.Sessions[0].Panes[0].Agent.Snoozed = until
	facts := alert.Facts{
		Now: noon, Snapshot: snapshot, Thresholds: alert.Thresholds{WaitingCritical: time.Hour},
		Conflicts: []alert.Conflict{{Path: "main.go", Panes: []core.PaneID{"%2", "%1"}}},
	}
	for _, a := range alert.Rules(facts) {
		if a.Pane != "%2" {
			t.Errorf("%+v", a)
		}
	}
	if due := alert.Due(facts); !due.Equal(until) {
		t.Errorf("its alerts are judged next at %v, not at %v", due, until)
	}
	snapshot.Sessions[0].Panes[0].Agent.Snoozed = time.Time{}
	if alerts := alert.Rules(facts); len(alerts) != 3 || alerts[0].Pane != "%1" {
		t.Errorf("%+v", alerts)
	}
}

func TestHowAnAgentEndedAndHowLongItRestedIsSaid(t *testing.T) {
	for want, c := range map[string]struct {
		status  core.Status
		process core.Process
	}{
		"cc_1 has ended with status 4": {
			since(core.Exited, core.ReasonFailed, 0),
			core.Process{Dead: true, ExitStatus: 4},
		},
		"cc_1 has ended by signal 9": {
			since(core.Exited, core.ReasonKilled, 0),
			core.Process{Dead: true, Signal: 9, ExitStatus: 137},
		},
		"cc_1 has ended: the line":           {since(core.Exited, core.ReasonFinished, 0), core.Process{}},
		"cc_1 has had nothing to do for 30m": {since(core.Idle, "", time.Hour), core.Process{}},
		"cc_1 waits for an approval: rm -rf tmp": {core.Status{
			State: core.Waiting, Reason: core.ReasonApproval,
			Asks: "rm -rf tmp", Since: noon,
		}, core.Process{}},
	} {
		snapshot := fleet(c.status)
		snapshot.Sessions[0].Panes[0].Process = c.process
		alerts := alert.Rules(alert.Facts{Now: noon, Snapshot: snapshot, Thresholds: alert.Defaults()})
		if len(alerts) != 1 || alerts[0].Message != want {
			t.Errorf("got %+v, want %q", alerts, want)
		}
	}
}

func TestEngineAndDisks(t *testing.T) {
	gone := &core.Snapshot{}
	facts := alert.Facts{Now: noon, Snapshot: gone, Thresholds: alert.Defaults(), Disks: []alert.Disk{
		{"/a", disk.Space{Free: 4 << 30, Total: 100 << 30}},
		{"/b", disk.Space{Free: 1 << 29, Total: 2 << 30}},
		{"/c", disk.Space{Free: 50 << 30, Total: 100 << 30}},
		{Path: "/d"},
	}}
	var ids []string
	for _, a := range alert.Rules(facts) {
		ids = append(ids, a.ID)
	}
	if want := []string{"disk_low:/a", "disk_low:/b"}; !slices.Equal(ids, want) {
		t.Errorf("got %q", ids)
	}
	facts.Lost = true
	if got := alert.Rules(facts)[0]; got.Type != core.AlertEngineLost || got.Severity != core.SeverityCritical {
		t.Errorf("got %+v", got)
	}
	// The message describes what is known of it instead.
	facts.Notices = []alert.Notice{{Type: core.AlertEngineLost, Subject: "engine", Message: "api (2 panes)"}}
	got := alert.Rules(facts)
	if len(got) != 3 || got[2].ID != "engine_lost:engine" || got[2].Message != "api (2 panes)" {
		t.Errorf("got %+v", got)
	}
}

func TestWhenRulesAreDue(t *testing.T) {
	facts := alert.Facts{Now: noon, Thresholds: alert.Defaults(), Snapshot: fleet(
		since(core.Waiting, core.ReasonApproval, 4*time.Minute), since(core.Idle, "", 29*time.Minute),
		since(core.Waiting, core.ReasonApproval, time.Hour))}
	if got := alert.Due(facts); !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("got %v", got)
	}
	if got := alert.Due(alert.Facts{Now: noon, Snapshot: fleet(since(core.Idle, "", 0))}); !got.IsZero() {
		t.Errorf("rules that are off are due at %v", got)
	}
}

// kinds are the types of changes, with their alerts' types.
func kinds(changes []alert.Change) string {
	var words []string
	for _, c := range changes {
		word := strings.TrimPrefix(string(c.Type), "alert_") + " " + string(c.Alert.Type)
		if c.Escalated {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestTheTrackerReportsOnlyWhatChanges(t *testing.T) {
	var tracker alert.Tracker
	at := noon
	see := func(want string, statuses ...core.Status) []alert.Change {
		t.Helper()
		changes := tracker.Update(at,
			alert.Rules(alert.Facts{Now: at, Snapshot: fleet(statuses...), Thresholds: alert.Defaults()}))
		if got := kinds(changes); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		at = at.Add(time.Minute)
		return changes
	}
	approval := since(core.Waiting, core.ReasonApproval, 0)
	see("raised waiting_approval", approval)
	see("", approval)
	see("resolved waiting_approval", since(core.Working, "", 0))
	if again := see("raised waiting_approval", approval); again[0].Alert.Count != 2 ||
		!again[0].Alert.FirstSeen.Equal(noon) {
		t.Errorf("got %+v", again)
	}
	if got := kinds(tracker.Dismiss(alert.Selection{ID: "waiting_approval:api.1"},
		at)); got != "dismissed waiting_approval" || len(tracker.Open()) != 0 {
		t.Errorf("got %q, open %+v", got, tracker.Open())
	}
	see("", approval)
	see("", core.Status{State: core.Waiting, Reason: core.ReasonApproval})
	another := since(core.Waiting, core.ReasonApproval, 0)
	another.Since = at.Add(-time.Second)
	if again := see("raised waiting_approval", another); len(again) == 1 &&
		(again[0].Alert.Count != 3 || !again[0].Alert.FirstSeen.Equal(another.Since)) {
		t.Errorf("got %+v", again)
	}
	tracker.Dismiss(alert.Selection{All: true}, at)
	see("", another)
	at = noon.Add(10 * time.Minute)
	see("raised waiting_approval!", approval)
	if len(tracker.Open()) != 1 {
		t.Error("what has become critical stays dismissed")
	}
	if got := kinds(tracker.Dismiss(alert.Selection{Session: "web"}, at)); got != "" {
		t.Errorf("got %q", got)
	}
	if got := kinds(tracker.Dismiss(alert.Selection{All: true}, at)); got != "dismissed waiting_approval" {
		t.Errorf("got %q", got)
	}
	see("resolved waiting_approval")
	see("raised waiting_approval!"[:len("raised waiting_approval")], approval)
}

func TestEdgesStayUntilTheyAreResolved(t *testing.T) {
	var tracker alert.Tracker
	failed := core.Alert{
		Type: core.AlertDelivery, Severity: core.SeverityError, Subject: "api.1", Session: "api",
		LastSeen: noon, Message: "refused",
	}
	if got := kinds(tracker.Raise(failed)); got != "raised delivery_failed" {
		t.Errorf("got %q", got)
	}
	if again := tracker.Raise(failed); again[0].Alert.Count != 2 {
		t.Errorf("got %+v", again)
	}
	if got := kinds(tracker.Update(noon.Add(time.Hour), nil)); got != "" {
		t.Errorf("got %q", got)
	}
	if got := kinds(tracker.Resolve("delivery_failed:api.1", noon)); got != "resolved delivery_failed" ||
		tracker.Resolve("delivery_failed:api.1", noon) != nil {
		t.Errorf("got %q", got)
	}
	back := core.Alert{Type: core.AlertEngineBack, Severity: core.SeverityInfo, Subject: "engine", LastSeen: noon}
	tracker.Raise(back)
	if got := kinds(tracker.Update(noon.Add(time.Second), nil)) +
		kinds(tracker.Update(noon.Add(time.Hour), nil)); got != "resolved engine_back" {
		t.Errorf("got %q", got)
	}
}

func TestABookIsBoundedAndKeepsWhatIsOpen(t *testing.T) {
	var tracker alert.Tracker
	var statuses []core.Status
	for range 500 {
		statuses = append(statuses, since(core.Errored, core.ReasonServer, 0))
	}
	tracker.Update(noon, alert.Rules(alert.Facts{Now: noon, Snapshot: fleet(statuses...)}))
	if n := len(tracker.Open()); n != 500 {
		t.Errorf("%d are open", n)
	}
	var other alert.Tracker
	other.Load(tracker.All())
	if got := kinds(other.Update(noon, alert.Rules(alert.Facts{Now: noon, Snapshot: fleet(statuses...)}))); got != "" {
		t.Error("what was open before is raised again")
	}
	tracker.Update(noon, nil)
	if n := len(tracker.All()); n != 200 {
		t.Errorf("%d are kept", n)
	}
}

func TestCeilingsWarnBeforeTheyAreReached(t *testing.T) {
	for percent, want := range map[float64]core.Severity{
		79.9: "", 80: core.SeverityWarning, 100: core.SeverityError,
		250: core.SeverityError,
	} {
		alerts := alert.Rules(alert.Facts{
			Now: noon, Snapshot: &core.Snapshot{},
			Spends: []alert.Spend{{Subject: "api/usd", Session: "api", Percent: percent, Message: "much"}},
		})
		switch {
		case want == "" && len(alerts) != 0, want != "" && len(alerts) != 1:
			t.Errorf("%v %%: %+v", percent, alerts)
		case want != "" && (alerts[0].Severity != want || alerts[0].ID != "budget:api/usd" ||
			alerts[0].Session != "api" || !alerts[0].FirstSeen.Equal(noon)):
			t.Errorf("%v %%: %+v", percent, alerts[0])
		}
	}
}

func TestARelayThatFailedIsAnAlert(t *testing.T) {
	alerts := alert.Rules(alert.Facts{
		Now: noon, Snapshot: &core.Snapshot{},
		Notices: []alert.Notice{{
			Type: core.AlertRelay, Severity: core.SeverityError, Subject: "relay/codex",
			Message: "no (2 relays have failed)",
			Since:   noon.Add(-time.Minute),
		}},
	})
	if len(alerts) != 1 || alerts[0].ID != "relay_failed:relay/codex" || alerts[0].Severity != core.SeverityError ||
		alerts[0].Message != "no (2 relays have failed)" || !alerts[0].FirstSeen.Equal(noon.Add(-time.Minute)) {
		t.Errorf("the alerts are %+v", alerts)
	}
}

func TestAnAlertSaysWhatIsAskedOrElseWhatShowsIt(t *testing.T) {
	asks := since(core.Waiting, core.ReasonApproval, time.Minute)
	asks.Asks = "rm -r build"
	for want, status := range map[string]core.Status{
		"cc_1 waits for an approval: rm -r build": asks,
		"cc_1 waits for an approval: the line":    since(core.Waiting, core.ReasonApproval, time.Minute),
	} {
		if got := alert.Rules(alert.Facts{Now: noon, Snapshot: fleet(status)}); len(got) != 1 ||
			got[0].Message != want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

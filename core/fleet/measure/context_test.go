package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

func TestATranscriptIsReadForItsContextOnlyWhereItHasGrown(t *testing.T) {
	now := fleettest.Noon
	path := filepath.Join(t.TempDir(), "s.jsonl")
	says := func(tokens, pad int, at time.Time) {
		t.Helper()
		const message = `{"type":"assistant","message":{"model":"claude-haiku-5","usage":{"input_tokens":%06d}},"pad":"%s"}`
		line := fmt.Sprintf(message+"\n", tokens, strings.Repeat("x", pad))
		line = strings.Replace(line, ":0", ":", 1)
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	observer, _ := open(t, nil, time.Now)
	g := NewContextMonitor(observer, nil, func() time.Time { return now })
	pane := core.Pane{ID: "%1", Agent: core.Agent{Kind: "claude"}}
	g.panes = map[core.PaneID]*contextUse{"%1": {
		pane: pane, moved: now, sought: now.Add(time.Hour), path: path, shown: -1, counted: -1,
	}}
	measured := func() string {
		t.Helper()
		news := g.measure(t.Context())
		used, known := g.Used()["%1"]
		return fmt.Sprint(news, used, known)
	}
	says(100_000, 0, fleettest.Noon)
	if got := measured(); got != "true 50 true" {
		t.Errorf("at first %s", got)
	}
	says(190_000, 0, fleettest.Noon)
	if got := measured(); got != "false 50 true" {
		t.Errorf("a file that did not change was read: %s", got)
	}
	says(190_000, 9, fleettest.Noon.Add(time.Second))
	if got := measured(); got != "true 95 true" {
		t.Errorf("grown %s", got)
	}
	// An unchanged screen is not read again.
	now = fleettest.Noon.Add(time.Minute)
	g.measure(t.Context())
	says(10_000, 99, now)
	now = fleettest.Noon.Add(2 * time.Minute)
	if got := measured(); got != "false 95 true" {
		t.Errorf("a still pane's transcript was read: %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	g.panes["%1"].moved = now
	if got := measured(); got != "false 95 true" || g.panes["%1"].path != "" {
		t.Errorf("gone %s", got)
	}
}

func TestHowMuchContextIsLeftSaysHowSevereItIs(t *testing.T) {
	raised := func(snapshot *core.Snapshot, g *ContextMonitor) []core.Alert {
		return alert.Rules(alert.Facts{
			Now: fleettest.Noon, Snapshot: snapshot, Thresholds: alert.Defaults(), Context: g.Used(),
		})
	}
	for used, want := range map[int]core.Severity{
		-1: core.SeverityWarning, 10: core.SeverityWarning, 81: core.SeverityWarning,
		95: core.SeverityWarning, 96: core.SeverityError,
	} {
		snapshot := fleettest.WaitingSnapshot()
		pane := snapshot.Panes()[0]
		pane.Status = core.Status{State: core.Idle, Notes: []core.Note{core.NoteContextLow}}
		g := &ContextMonitor{}
		if used >= 0 {
			g.panes = map[core.PaneID]*contextUse{pane.ID: {shown: used, counted: 3}}
		}
		alerts := raised(snapshot, g)
		if len(alerts) != 1 || alerts[0].Type != core.AlertContextLow || alerts[0].Severity != want {
			t.Errorf("%d %% used: %+v", used, alerts)
		}
	}
	snapshot := fleettest.WaitingSnapshot()
	snapshot.Panes()[0].Status = core.Status{State: core.Idle}
	g := &ContextMonitor{panes: map[core.PaneID]*contextUse{"%1": {shown: -1, counted: 79}}}
	if alerts := raised(snapshot, g); len(alerts) != 0 {
		t.Errorf("enough is left: %+v", alerts)
	}
}

func TestAPaneThatHoldsAnotherAgentIsMeasuredAnew(t *testing.T) {
	observer, _ := open(t, nil, time.Now)
	g := NewContextMonitor(observer, nil, time.Now)
	snapshot := fleettest.WaitingSnapshot()
	pane := snapshot.Panes()[0]
	pane.Process.PID = 7
	g.Note(snapshot, observe.NewTracker(true))
	g.panes[pane.ID].counted = 90
	g.Note(snapshot, observe.NewTracker(true))
	if g.Used()[pane.ID] != 90 {
		t.Errorf("forgot %+v", g.Used())
	}
	pane.Process.PID = 8
	g.Note(snapshot, observe.NewTracker(true))
	if len(g.Used()) != 0 {
		t.Errorf("kept %+v", g.Used())
	}
}

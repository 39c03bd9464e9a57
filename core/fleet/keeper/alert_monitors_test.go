package keeper

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
)

func TestAlertsSayWhatScreensTellOfContextWindows(t *testing.T) {
	pane := fleettest.Row("$1", "%1", "claude", engine.TagKind, "claude", engine.TagName, "cc_1")
	pane.Process.PID = -1
	listing := engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}}
	rule := strings.Repeat("─", 80)
	eng := &fleettest.Engine{Listing: listing, Screens: map[core.PaneID][]string{
		"%1": {"● Done.", "   1% until auto-compact", rule, "❯ ", rule, "  ? for shortcuts"},
	}}
	f := openStreams(t, fleettest.BuiltinKinds(t), "", Options{Engine: eng})
	m := f.newMember(rundir.Files{}, Interest{})
	snapshot, err := m.snapshot(t.Context(), &engine.Change{Listing: listing})
	if err != nil {
		t.Fatal(err)
	}
	m.alerts.context.Note(snapshot, m.tracker)
	m.alerts.update(nil, snapshot, nil, fleettest.Noon)
	if len(snapshot.Alerts) != 1 || snapshot.Alerts[0].Type != core.AlertContextLow ||
		snapshot.Alerts[0].Severity != core.SeverityError || !strings.Contains(snapshot.Alerts[0].Message, " 1 %") {
		t.Errorf("%+v", snapshot.Alerts)
	}
}

func TestAlertsNameTheFilesThatTwoAgentsEdit(t *testing.T) {
	w := fleettest.NewWorkspace(t)
	w.ClaudeHome(t)
	w.Repository(t, "api")
	w.Write(t, "api/both.go", "")
	w.Claude(t, "a", "api", "api/both.go")
	w.Claude(t, "b", "api/web", "api/both.go")
	if err := os.MkdirAll(filepath.Join(w.Dir, "api", "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	kinds, started := fleettest.BuiltinKinds(t), time.Now()
	eng := &fleettest.Engine{Listing: fleettest.ListingOf(w.Snapshot)}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now := func() time.Time { return started.Add(time.Since(began)) } // that of the files
		f := openStreams(t, kinds, "", Options{Engine: eng, Now: now})
		m := f.newMember(rundir.Files{}, Interest{})
		snapshot, err := m.snapshot(t.Context(), &engine.Change{Listing: eng.Listing})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		m.alerts.trees.Note(snapshot, map[core.PaneID]time.Time{snapshot.Panes()[0].ID: now()})
		found := make(chan struct{}, 1)
		go m.alerts.trees.Run(ctx, func() { wakeUp(found) })
		<-found
		changes := m.alerts.update(nil, snapshot, nil, now())
		conflict := func(a core.Alert) bool { return a.Type == core.AlertFileConflict }
		at := slices.IndexFunc(snapshot.Alerts, conflict)
		if at < 0 || snapshot.Alerts[at].Message != "api.1 and api.2 changed both.go" {
			t.Fatalf("%+v of %+v", snapshot.Alerts, changes)
		}
		m.alerts.update(nil, snapshot, nil, now().Add(3*time.Hour))
		if slices.ContainsFunc(snapshot.Alerts, conflict) {
			t.Errorf("an old change still counts: %+v", snapshot.Alerts)
		}
	})
}

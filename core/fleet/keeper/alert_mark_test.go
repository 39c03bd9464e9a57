package keeper

import (
	"context"
	"os"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

// lostEngine is an engine whose server may be gone.
type lostEngine struct {
	*fleettest.ScriptedEngine
	lost bool
}

func (e *lostEngine) List(ctx context.Context, detail engine.Detail) (engine.Listing, error) {
	if e.lost {
		return engine.Listing{}, engine.ErrNoServer
	}
	return e.ScriptedEngine.List(ctx, detail)
}

func TestSingleSnapshotShowsKeeperOnlyAlerts(t *testing.T) {
	m := &alertJournal{alerts: map[string]core.Alert{}}
	eng, kinds := &lostEngine{ScriptedEngine: fleettest.NewScriptedEngine()}, fleettest.BuiltinKinds(t)
	f := openStreams(t, kinds, fleettest.RuntimeDir(t), Options{Engine: eng})
	view := overviewOf(f, kinds, m)
	files, err := f.opts.Dir.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Prepare(); err != nil {
		t.Fatal(err)
	}
	k := &keeper{files: files, log: f.opts.Log}
	works := func() { eng.lost, eng.Working = false, true }
	rests := func() { eng.lost, eng.Working = false, false }
	// The agents that a snapshot recorded show a loss too, even without the journal.
	gone := func() { eng.lost = true; os.Remove(files.Running) }
	for _, test := range []struct {
		what           core.AlertType
		pane           core.PaneID
		holds, expired func()
	}{
		{core.AlertStalled, "%1", works, rests},
		{core.AlertEngineLost, "", gone, works},
	} {
		open := core.Alert{
			ID: alert.ID(test.what, "it"), Type: test.what, Severity: core.SeverityWarning, Subject: "it",
			Pane: test.pane, FirstSeen: fleettest.Noon, LastSeen: fleettest.Noon, Count: 1,
		}
		m.alerts = map[string]core.Alert{open.ID: open}
		seen := func(now func()) bool {
			t.Helper()
			now()
			snapshot, err := view.Snapshot(t.Context(), observe.View{})
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(snapshot.Alerts, func(a core.Alert) bool { return a.ID == open.ID })
		}
		if seen(test.holds) {
			t.Errorf("%s: the journal was read without a mark", test.what)
		}
		k.mark(&core.Snapshot{Alerts: []core.Alert{open}})
		if !seen(test.holds) {
			t.Errorf("%s is not told", test.what)
		}
		if seen(test.expired) {
			t.Errorf("%s is told where it cannot be any more", test.what)
		}
		k.mark(&core.Snapshot{})
		if k.files.Alarmed() {
			t.Error("the mark stays")
		}
	}
}

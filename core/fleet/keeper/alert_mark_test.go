package keeper

import (
	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
	"testing"
	"time"
)

func TestWhoLooksOnceSeesWhatOnlyAKeeperCanTell(t *testing.T) {
	m := &minutes{alerts: map[string]core.Alert{}}
	stage := &fleettest.FeedEngine{Socket: "/stage"}
	f := Open(Options{Engine: stage, Kinds: fleettest.BuiltinKinds(t), Journal: m, Runtime: fleettest.RuntimeDir(t), Now: func() time.Time { return fleettest.Noon }})
	k := &keeper{files: rundir.FilesOf(f.runtime, engine.Info{Socket: stage.Socket}), log: f.log}
	works := func() *core.Snapshot {
		return &core.Snapshot{EngineUp: true, Taken: fleettest.Noon, Sessions: []core.Session{fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(core.Working)))}}
	}
	gone := func() *core.Snapshot { return &core.Snapshot{Taken: fleettest.Noon} }
	for _, test := range []struct {
		what           core.AlertType
		pane           core.PaneID
		holds, expired func() *core.Snapshot
	}{
		{core.AlertStalled, "%1", works, func() *core.Snapshot {
			return &core.Snapshot{EngineUp: true, Taken: fleettest.Noon, Sessions: []core.Session{fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(core.Idle)))}}
		}},
		{core.AlertEngineLost, "", gone, works},
	} {
		open := core.Alert{ID: alert.ID(test.what, "it"), Type: test.what, Severity: core.SeverityWarning, Subject: "it", Pane: test.pane, FirstSeen: fleettest.Noon, LastSeen: fleettest.Noon, Count: 1}
		m.alerts = map[string]core.Alert{open.ID: open}
		seen := func(picture *core.Snapshot) bool {
			f.Overview.current(t.Context(), picture, alert.Facts{})
			return len(picture.Alerts) == 1 && picture.Alerts[0].ID == open.ID
		}
		if seen(test.holds()) {
			t.Errorf("%s: the journal was read without a mark", test.what)
		}
		k.mark(&core.Snapshot{Alerts: []core.Alert{open}})
		if !seen(test.holds()) {
			t.Errorf("%s is not told", test.what)
		}
		if seen(test.expired()) {
			t.Errorf("%s is told where it cannot be any more", test.what)
		}
		k.mark(&core.Snapshot{})
		if k.files.Alarmed() {
			t.Error("the mark stays")
		}
	}
}

package fleet

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
)

func TestWhoLooksOnceSeesWhatOnlyAKeeperCanTell(t *testing.T) {
	m := &minutes{alerts: map[string]core.Alert{}}
	stage := &stage{socket: "/stage"}
	f := Open(Options{Engine: stage, Kinds: kindsFor(t), Journal: m, Runtime: runtimeDir(t), Now: func() time.Time { return noon }})
	k := &keeper{seat: seatOf(f.runtime, engine.Info{Socket: stage.socket}), log: f.log}
	works := func() *core.Snapshot {
		return &core.Snapshot{EngineUp: true, Taken: noon, Sessions: []core.Session{aSession("$1", "api", aPane(1, "%1", claude(core.Working)))}}
	}
	gone := func() *core.Snapshot { return &core.Snapshot{Taken: noon} }
	for _, test := range []struct {
		what           core.AlertType
		pane           core.PaneID
		holds, expired func() *core.Snapshot
	}{
		{core.AlertStalled, "%1", works, func() *core.Snapshot {
			return &core.Snapshot{EngineUp: true, Taken: noon, Sessions: []core.Session{aSession("$1", "api", aPane(1, "%1", claude(core.Idle)))}}
		}},
		{core.AlertEngineLost, "", gone, works},
	} {
		open := core.Alert{ID: alert.ID(test.what, "it"), Type: test.what, Severity: core.SeverityWarning, Subject: "it", Pane: test.pane, FirstSeen: noon, LastSeen: noon, Count: 1}
		m.alerts = map[string]core.Alert{open.ID: open}
		seen := func(picture *core.Snapshot) bool {
			f.current(t.Context(), picture, alert.Facts{})
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
		if k.seat.alarmed() {
			t.Error("the mark stays")
		}
	}
}

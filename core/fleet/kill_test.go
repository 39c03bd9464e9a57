package fleet_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
)

func TestASessionThatIsKilledOnPurposeIsNoLoss(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		watched bool
		end     func(*testing.T, *fleet.Fleet)
		lost    bool
	}{
		"the last one, while a keeper runs": {true, kills("first"), false},
		"the last one, without a keeper":    {false, kills("first"), false},
		"the server, while a keeper runs":   {true, nil, true},
		"the server, without a keeper":      {false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			th := open(t, tmux.Auto)
			th.reopen(func(o *fleet.Options) { o.Runtime = fleettest.RuntimeDir(t) })
			f, m := th.Fleet, th.tmux
			m.Start()
			r := subscribed(t, f, keeper.Interest{})
			r.until(core.Resynced)
			if !test.watched {
				r.end()
			}
			var kept []core.Event
			if test.end != nil {
				test.end(t, f)
			} else {
				m.Run("kill-server")
			}
			if !test.watched {
				r = subscribed(t, f, keeper.Interest{})
				kept = r.until(core.Resynced)
			}
			if test.watched {
				r.until(core.SessionClosed)
			}
			m.Start()
			lost := false
			for _, e := range append(kept, r.until(core.EngineBack)...) {
				lost = lost || e.Alert != nil && e.Alert.Type == core.AlertEngineLost ||
					e.Snapshot != nil &&
						slices.ContainsFunc(e.Snapshot.Alerts,
							func(a core.Alert) bool { return a.Type == core.AlertEngineLost })
			}
			if lost != test.lost {
				t.Errorf("an alert tells that the engine is lost: %v, want %v", lost, test.lost)
			}
		})
	}
}

func kills(session string) func(*testing.T, *fleet.Fleet) {
	return func(t *testing.T, f *fleet.Fleet) {
		if _, err := f.Launcher.Kill(t.Context(),
			lifecycle.KillRequest{Target: resolve.Target{Session: session}}); err != nil {
			t.Fatal(err)
		}
	}
}

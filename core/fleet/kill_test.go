package fleet_test

import (
	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestASessionThatIsKilledOnPurposeIsNoLoss(t *testing.T) {
	for name, test := range map[string]struct {
		watched bool
		end     func(*testing.T, *fleet.Fleet)
		lost    bool
	}{
		"the last one, while somebody watches": {true, kills("first"), false},
		"the last one, while nobody does":      {false, kills("first"), false},
		"the server, while somebody watches":   {true, nil, true},
		"the server, while nobody does":        {false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, m := keeper.onTmux(t, fleettest.RuntimeDir(t))
			m.Start()
			r := keeper.subscribed(t, f.streams, keeper.Interest{})
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
				r = keeper.subscribed(t, f.streams, keeper.Interest{})
				kept = r.until(core.Resynced)
			}
			if test.watched {
				r.until(core.SessionClosed)
			}
			m.Start()
			lost := false
			for _, e := range append(kept, r.until(core.EngineBack)...) {
				lost = lost || e.Alert != nil && e.Alert.Type == core.AlertEngineLost ||
					e.Snapshot != nil && slices.ContainsFunc(e.Snapshot.Alerts, func(a core.Alert) bool { return a.Type == core.AlertEngineLost })
			}
			if lost != test.lost {
				t.Errorf("an alert tells that the engine is lost: %v, want %v", lost, test.lost)
			}
		})
	}
}

func kills(session string) func(*testing.T, *fleet.Fleet) {
	return func(t *testing.T, f *fleet.Fleet) {
		if _, err := f.Launcher.Kill(t.Context(), lifecycle.KillRequest{Target: resolve.Target{Session: session}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestANoteOfAKillCountsWhileTheKillIsUnderWay(t *testing.T) {
	s := rundir.Files{ended: filepath.Join(t.TempDir(), "ended")}
	if s.EndedAfter(time.Time{}) {
		t.Error("a note was found where there is none")
	}
	if err := os.WriteFile(s.ended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.ended, fleettest.Noon, fleettest.Noon); err != nil {
		t.Fatal(err)
	}
	for seen, want := range map[time.Duration]bool{-time.Minute: true, time.Second: true, time.Minute: false} {
		if got := s.EndedAfter(fleettest.Noon.Add(seen)); got != want {
			t.Errorf("seen %s after the note: %v", seen, got)
		}
	}
}

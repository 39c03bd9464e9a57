package fleet

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
)

func TestASessionThatIsKilledOnPurposeIsNoLoss(t *testing.T) {
	for name, test := range map[string]struct {
		watched bool
		end     func(*testing.T, *Fleet)
		lost    bool
	}{
		"the last one, while somebody watches": {true, kills("first"), false},
		"the last one, while nobody does":      {false, kills("first"), false},
		"the server, while somebody watches":   {true, nil, true},
		"the server, while nobody does":        {false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, m := onTmux(t, runtimeDir(t))
			m.Start()
			r := subscribed(t, f, Interest{})
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
				r = subscribed(t, f, Interest{})
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

func kills(session string) func(*testing.T, *Fleet) {
	return func(t *testing.T, f *Fleet) {
		if _, err := f.Kill(t.Context(), KillRequest{Target: Target{Session: session}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestANoteOfAKillCountsWhileTheKillIsUnderWay(t *testing.T) {
	s := seat{ended: filepath.Join(t.TempDir(), "ended")}
	if s.endedAfter(time.Time{}) {
		t.Error("a note was found where there is none")
	}
	if err := os.WriteFile(s.ended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.ended, noon, noon); err != nil {
		t.Fatal(err)
	}
	for seen, want := range map[time.Duration]bool{-time.Minute: true, time.Second: true, time.Minute: false} {
		if got := s.endedAfter(noon.Add(seen)); got != want {
			t.Errorf("seen %s after the note: %v", seen, got)
		}
	}
}

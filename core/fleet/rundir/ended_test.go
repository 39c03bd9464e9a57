package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core/fleet/fleettest"
)

func TestANoteOfAKillCountsWhileTheKillIsUnderWay(t *testing.T) {
	s := Files{ended: filepath.Join(t.TempDir(), "ended")}
	if s.endedSince(time.Time{}) {
		t.Error("a note was found where there is none")
	}
	if err := os.WriteFile(s.ended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.ended, fleettest.Noon, fleettest.Noon); err != nil {
		t.Fatal(err)
	}
	for seen, want := range map[time.Duration]bool{-time.Minute: true, time.Second: true, time.Minute: false} {
		if got := s.endedSince(fleettest.Noon.Add(seen - serverExitWait)); got != want {
			t.Errorf("seen %s after the note: %v", seen, got)
		}
	}
}

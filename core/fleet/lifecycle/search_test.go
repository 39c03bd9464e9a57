package lifecycle

import (
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
)

func TestProcessesAreLookedAtAfterAPaneHasEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "looked")
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	// searches is LeftoversBeside, but for the look itself.
	searches := func(left bool, panes ...int) bool {
		snapshot := &core.Snapshot{Taken: now, Sessions: []core.Session{{Name: "api"}}}
		for _, pid := range panes {
			snapshot.Sessions[0].Panes = append(snapshot.Sessions[0].Panes,
				core.Pane{ID: "%1", Session: "api", Process: core.Process{PID: pid}})
		}
		last := readSearch(path)
		ended := last.ended(snapshot, "")
		if other := last.ended(snapshot, "web"); other {
			t.Error("a pane of api is one of web")
		}
		if !ended && last.suffices(now) {
			return false
		}
		last.next(snapshot, ended, left).write(path)
		return true
	}
	expect := func(when string, want, left bool, panes ...int) {
		t.Helper()
		if got := searches(left, panes...); got != want {
			t.Errorf("%s: looked %t", when, got)
		}
	}
	expect("at first", true, false, 10, 11)
	expect("at once again", false, false, 10, 11)
	expect("with one more", false, false, 10, 11, 12)
	expect("without one", true, false, 10)
	expect("soon afterwards", true, true, 10)
	now = now.Add(searchFor)
	expect("as long as something is left", true, true, 10)
	now = now.Add(searchFor)
	expect("until it is gone", true, false, 10)
	expect("then", false, false, 10)
	expect("when a pane has another program", true, false, 20)
	now = now.Add(searchFor)
	expect("then again", false, false, 20)
	forgetSearch(path)
	expect("when a pane was started", true, false, 20)
	now = now.Add(searchEvery)
	expect("after a long time", true, false, 20)
	now = now.Add(-time.Hour)
	expect("after the clock was set back", true, false, 20)
}

package observe

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/fleettest"
)

func TestAPaneThatGotTheIDOfAnotherHasNotStoodSoLong(t *testing.T) {
	m := NewTracker(true)
	pane := core.Pane{ID: "%1", Process: core.Process{PID: 7, Command: "vi"}}
	observe := func(after time.Duration) time.Duration {
		return m.since(&pane, core.Status{State: core.Working}, fleettest.Noon.Add(after)).Since.Sub(fleettest.Noon)
	}
	observe(0)
	if since := observe(time.Hour); since != 0 {
		t.Errorf("it works since %v", since)
	}
	pane.Process.PID = 8
	if since := observe(2 * time.Hour); since != 2*time.Hour {
		t.Errorf("the other works since %v", since)
	}
}

func TestOfTwoReportsTheLaterCountsWhicheverComesFirst(t *testing.T) {
	m := NewTracker(true)
	stopped := detect.Hook{Event: "Stop", At: fleettest.Noon.Add(time.Second)}
	worked := detect.Hook{Event: "PostToolUse", At: fleettest.Noon}
	m.Hooked("%1", stopped)
	m.Hooked("%1", worked)
	hooks, _ := m.reported()
	if got := hooks["%1"]; got.Event != "Stop" {
		t.Errorf("%s counts", got.Event)
	}
}

func TestLinesThatOnlyMovedAreNotNew(t *testing.T) {
	for name, test := range map[string]struct {
		before, now []string
		want        int
	}{
		"nothing":  {[]string{"a", "b"}, []string{"a", "b"}, 0},
		"scrolled": {[]string{"a", "b", "c"}, []string{"b", "c", "d"}, 1},
		"repaint":  {[]string{"a", "1s", "c"}, []string{"a", "2s", "c"}, 1},
		"twice":    {[]string{"a"}, []string{"a", "a"}, 1},
		"cleared":  {[]string{"a", "b"}, []string{"", ""}, 0},
	} {
		if got := freshLines(test.before, test.now); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

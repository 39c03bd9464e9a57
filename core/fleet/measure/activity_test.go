package measure

import (
	"context"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

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
		if got := observe.freshLines(test.before, test.now); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestThePulseIsThatOfTheLastMinute(t *testing.T) {
	var p ActivityMonitor
	m := observe.NewTracker(true)
	k := &observe.tracked{}
	m.Panes["%1"] = k
	at := func(second, lines int) string {
		k.Lines += lines
		now := fleettest.Noon.Add(time.Duration(second) * time.Second)
		p.Note(m, now)
		rates, moves := p.rates(now)
		return fmt.Sprint(rates["%1"], moves)
	}
	for _, step := range []struct {
		second, lines int
		want          string
	}{{0, 5, "0 false"}, {10, 20, "20 true"}, {40, 10, "30 true"}, {69, 0, "30 true"}, {75, 0, "10 true"}, {130, 0, "0 false"}} {
		if got := at(step.second, step.lines); got != step.want {
			t.Errorf("after %d s: %s, want %s", step.second, got, step.want)
		}
	}
	k.Lines = 0
	if got := at(140, 1); got != "0 false" {
		t.Errorf("another agent in the pane: %s", got)
	}
}

func TestWhileNothingMovesNoPulseIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pulse")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var p ActivityMonitor
		m := observe.NewTracker(true)
		m.Panes["%1"] = &observe.tracked{}
		p.Note(m, time.Now())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx, path, time.Now) }()
		synctest.Wait()
		if err := os.Remove(path); err != nil {
			t.Fatalf("at first: %v", err)
		}
		time.Sleep(10 * pulseEvery)
		if _, err := os.Stat(path); err == nil {
			t.Error("written although nothing moved")
		}
		m.Panes["%1"].Lines = 7
		p.Note(m, time.Now())
		time.Sleep(2 * pulseEvery)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

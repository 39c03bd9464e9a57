package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

// printer is a tracker of one agent, whose screen the test prints on.
type printer struct {
	tracker  *observe.Tracker
	observer *observe.Observer
	engine   *fleettest.Engine
	printed  int
}

// newPrinter returns one whose screen was read once.
func newPrinter(t *testing.T) *printer {
	t.Helper()
	p := &printer{tracker: observe.NewTracker(true), engine: &fleettest.Engine{Listing: engine.Listing{
		Sessions: []engine.Session{{ID: "$1", Name: "api"}},
		Panes:    []engine.Pane{fleettest.Row("$1", "%1", "cupola", engine.TagKind, "scripted")},
	}, Screens: map[core.PaneID][]string{"%1": {"", "", ""}}}}
	p.observer, _ = open(t, p.engine, time.Now)
	p.print(t, 0)
	return p
}

// print puts new lines on the screen in place of the old ones, and has the tracker see them.
func (p *printer) print(t *testing.T, lines int) {
	t.Helper()
	if lines > 0 {
		p.engine.Screens["%1"] = nil
	}
	for range lines {
		p.printed++
		p.engine.Screens["%1"] = append(p.engine.Screens["%1"], fmt.Sprint("line ", p.printed))
	}
	change := &engine.Change{Listing: p.engine.Listing, Dirty: []core.PaneID{"%1"}}
	if _, err := p.observer.Update(t.Context(), change, p.tracker); err != nil {
		t.Fatal(err)
	}
}

func TestTheActivityIsThatOfTheLastMinute(t *testing.T) {
	var a ActivityMonitor
	p := newPrinter(t)
	at := func(second, lines int) string {
		t.Helper()
		p.print(t, lines)
		now := fleettest.Noon.Add(time.Duration(second) * time.Second)
		a.Note(p.tracker, now)
		rates, moves := a.rates(now)
		return fmt.Sprint(rates["%1"], moves)
	}
	for _, step := range []struct {
		second, lines int
		want          string
	}{
		{0, 5, "0 false"},
		{10, 20, "20 true"},
		{40, 10, "30 true"},
		{69, 0, "30 true"},
		{75, 0, "10 true"},
		{130, 0, "0 false"},
	} {
		if got := at(step.second, step.lines); got != step.want {
			t.Errorf("after %d s: %s, want %s", step.second, got, step.want)
		}
	}
	p.engine.Listing.Panes[0].Process.PID = -7
	p.print(t, 0)
	if got := at(140, 1); got != "0 false" {
		t.Errorf("another agent in the pane: %s", got)
	}
}

func TestWhileNothingMovesNoActivityIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var a ActivityMonitor
		p := newPrinter(t)
		a.Note(p.tracker, time.Now())
		ended := make(chan error)
		go func() { ended <- a.Run(ctx, path, time.Now) }()
		synctest.Wait()
		if err := os.Remove(path); err != nil {
			t.Fatalf("at first: %v", err)
		}
		<-time.After(10 * activityEvery)
		if _, err := os.Stat(path); err == nil {
			t.Error("written although nothing moved")
		}
		p.print(t, 7)
		a.Note(p.tracker, time.Now())
		<-time.After(2 * activityEvery)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

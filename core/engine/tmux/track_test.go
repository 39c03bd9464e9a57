package tmux

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"cupola/core"
	"cupola/core/engine"
)

func snapshotAt(taken time.Time, panes ...pane) *snapshot {
	return &snapshot{taken: taken, server: "1/1", sessions: []engine.Session{{ID: "$0", Name: "s"}}, panes: panes}
}

func paneOf(id core.PaneID, activity int64) pane {
	return pane{Pane: engine.Pane{ID: id, Session: "$0", Process: core.Process{PID: 7}}, activity: activity}
}

// A model of tmux, in which programs rewrite their screens in place at random
// moments: only the activity shows it, in seconds. A reader that captures some
// time after each report must hold the last version of each screen.
func TestNoRewriteIsMissed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 0))
		var tracker tracker
		now := time.Unix(1000, int64(dice.IntN(1e9)))
		versions, held := map[core.PaneID]int{}, map[core.PaneID]int{}
		panes := []pane{paneOf("%0", 990), paneOf("%1", 990), paneOf("%2", 990)}
		pass := func(limit int) { now = now.Add(time.Duration(dice.IntN(limit)) * time.Millisecond) }
		write := func() {
			p := &panes[dice.IntN(len(panes))]
			p.activity = now.Unix()
			versions[p.ID]++
		}
		read := func(change engine.Change) {
			pass(30)
			if dice.IntN(3) == 0 {
				write()
			}
			for _, id := range change.Dirty {
				held[id] = versions[id]
			}
		}
		poll := func() {
			taken := now
			pass(5)
			if dice.IntN(3) == 0 {
				p := panes[dice.IntN(len(panes))]
				change, _ := tracker.updatePanes([]pane{p}, taken)
				read(change)
				return
			}
			change, _ := tracker.update(snapshotAt(taken, slices.Clone(panes)...))
			read(change)
		}
		for range 300 {
			pass(400)
			if dice.IntN(2) == 0 {
				write()
			} else {
				poll()
			}
		}
		pass(10)
		change, _ := tracker.update(snapshotAt(now, slices.Clone(panes)...))
		for _, id := range change.Dirty {
			held[id] = versions[id]
		}
		for id, version := range versions {
			if held[id] != version {
				t.Fatalf("seed %d: %s is held at %d of %d", seed, id, held[id], version)
			}
		}
	}
}

func TestQuietPanesAreNotReported(t *testing.T) {
	var tracker tracker
	at := time.Unix(1000, 0)
	if _, changed := tracker.update(snapshotAt(at, paneOf("%0", 1000))); !changed {
		t.Error("the first list is no change")
	}
	if c, _ := tracker.update(snapshotAt(at.Add(time.Second), paneOf("%0", 1000))); len(c.Dirty) != 1 {
		t.Error("what was written later in the second of the first list is missed")
	}
	for i := range 10 {
		now := snapshotAt(at.Add(time.Duration(2+i)*time.Second), paneOf("%0", 1000))
		if c, changed := tracker.update(now); changed {
			t.Errorf("reported: %+v", c)
		}
	}
}

func TestEveryCheapFieldMakesAPaneDirty(t *testing.T) {
	for name, move := range map[string]func(*pane){
		"history": func(p *pane) { p.View.History++ }, "bytes": func(p *pane) { p.bytes++ },
		"cursor": func(p *pane) { p.View.Cursor.X++ }, "cursor shape": func(p *pane) { p.View.Cursor.Visible = true },
		"title": func(p *pane) { p.Title = "x" }, "dead": func(p *pane) { p.Process.Dead = true },
		"mode": func(p *pane) { p.View.InMode = true }, "alternate": func(p *pane) { p.View.AlternateOn = true },
		"size": func(p *pane) { p.View.Width++ }, "program": func(p *pane) { p.Process.PID++ },
	} {
		var tracker tracker
		tracker.update(snapshotAt(time.Unix(1000, 0), paneOf("%0", 0)))
		moved := paneOf("%0", 0)
		move(&moved)
		if c, _ := tracker.update(snapshotAt(time.Unix(1005, 0), moved)); len(c.Dirty) != 1 {
			t.Errorf("%s: not dirty", name)
		}
	}
}

func TestAClockSetBackMakesAllDirty(t *testing.T) {
	var tracker tracker
	tracker.update(snapshotAt(time.Unix(2000, 0), paneOf("%0", 900)))
	if c, _ := tracker.update(snapshotAt(time.Unix(1000, 0), paneOf("%0", 999))); len(c.Dirty) != 1 {
		t.Error("not dirty")
	}
}

// Two readings of the system's clock also carry the steady time between them, and their comparison uses that.
func TestAClockSetBackBetweenTwoReadingsMakesAllDirty(t *testing.T) {
	reading := func(later time.Duration) time.Time {
		now := time.Now()
		steady := (*struct {
			wall   uint64
			steady int64
		})(unsafe.Pointer(&now))
		steady.steady += int64(later)
		return now
	}
	before, after := reading(0), reading(time.Hour).Add(-time.Minute)
	if after.Before(before) || after.Unix() >= before.Unix() {
		t.Fatalf("%v is no reading after %v and a clock that was set back", after, before)
	}
	var tracker tracker
	tracker.update(snapshotAt(before, paneOf("%0", before.Unix()-100)))
	if c, _ := tracker.updatePanes([]pane{paneOf("%0", after.Unix()-1)}, after); len(c.Dirty) != 0 {
		t.Error("a updatePanes judges by seconds that cannot be compared")
	}
	if c, _ := tracker.update(snapshotAt(after, paneOf("%0", after.Unix()-1))); len(c.Dirty) != 1 {
		t.Error("not dirty")
	}
}

func TestAnotherServerIsAllNew(t *testing.T) {
	var tracker tracker
	tracker.update(snapshotAt(time.Unix(1000, 0), paneOf("%0", 900)))
	next := snapshotAt(time.Unix(1005, 0), paneOf("%0", 900))
	next.server = "2/2"
	if c, _ := tracker.update(next); !c.Structural || len(c.Dirty) != 1 {
		t.Errorf("change: %+v", c)
	}
}

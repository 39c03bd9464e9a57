package keeper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
)

// screens of the scripted agent in its states.
var soakScreens = map[core.State][]string{
	core.Idle: fleettest.ReadyScreen,
	core.Working: {
		"> prompt", "* Thinking… (3s · esc to interrupt)", fleettest.Rule, "› Type a prompt", fleettest.Rule,
		"  esc to interrupt",
	},
	core.Waiting: {
		"> prompt", fleettest.Rule, "Allow this command?", "$ ls", "› 1. Yes", "  2. No",
		"enter to confirm · esc to cancel",
	},
}

// circus is a stage on which agents come, go and change.
type circus struct {
	*fleettest.FeedEngine
	dice     *rand.Rand
	states   map[core.PaneID]core.State
	last     int
	list     engine.Listing
	reported map[core.PaneID]core.State
}

func (c *circus) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	var screens []core.Screen
	for _, ask := range asks {
		lines, there := soakScreens[c.state(ask.Pane)]
		if !there {
			continue
		}
		cursor := core.Cursor{X: 2, Y: max(0, len(lines)-3), Visible: true}
		screens = append(screens, core.Screen{
			Pane: ask.Pane, Lines: lines, Visible: len(lines), Taken: time.Now(),
			View: core.Viewport{Width: 80, Height: len(lines), Cursor: cursor},
		})
	}
	return screens, nil
}

func (c *circus) state(pane core.PaneID) core.State {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.states[pane]
}

// turn makes one thing happen: an agent comes, goes, or is in another state.
func (c *circus) turn() {
	change := engine.Change{Structural: true}
	c.Mu.Lock()
	panes := c.list.Panes
	switch n := c.dice.IntN(10); {
	case len(panes) < 3 || n == 0 && len(panes) < 40:
		c.last++
		name := fmt.Sprintf("s%d", c.last)
		id := core.PaneID("%" + strconv.Itoa(c.last))
		session := core.SessionID("$" + strconv.Itoa(c.last))
		c.list.Sessions = append(c.list.Sessions, engine.Session{ID: session, Name: name, Created: fleettest.Dawn})
		pane := fleettest.Row(string(session), string(id), "cupola",
			engine.TagKind, "scripted", engine.TagName, "scr_1", engine.TagOrdinal, "1")
		pane.Process.PID = 1_000_000 + c.last
		c.list.Panes = append(c.list.Panes, pane)
		c.states[id] = core.Idle
	case n == 1:
		at := c.dice.IntN(len(panes))
		delete(c.states, panes[at].ID)
		c.list.Panes = append(append([]engine.Pane{}, panes[:at]...), panes[at+1:]...)
		c.list.Sessions = append(append([]engine.Session{}, c.list.Sessions[:at]...), c.list.Sessions[at+1:]...)
	default:
		id := panes[c.dice.IntN(len(panes))].ID
		c.states[id] = []core.State{core.Idle, core.Working, core.Waiting}[c.dice.IntN(3)]
		change = engine.Change{Dirty: []core.PaneID{id}}
	}
	change.Listing = c.list
	change.Listing.Panes = append([]engine.Pane{}, c.list.Panes...)
	c.Mu.Unlock()
	c.Emit(change)
}

// hear updates the reported states by an event.
func (c *circus) hear(t *testing.T, e *core.Event) {
	t.Helper()
	switch e.Type {
	case core.Resynced:
		for _, pane := range e.Snapshot.Panes() {
			c.reported[pane.ID] = pane.Status.State
		}
	case core.PaneOpened:
		c.reported[e.PaneID] = core.State(e.To)
	case core.PaneClosed:
		delete(c.reported, e.PaneID)
	case core.StateChanged:
		if from := string(c.reported[e.PaneID]); from != e.From {
			t.Errorf("%s leads from %s to %s, but it was %s", e.PaneID, e.From, e.To, from)
		}
		c.reported[e.PaneID] = core.State(e.To)
	}
}

func TestALongLifeMissesNoStateAndKeepsNothing(t *testing.T) { longLife(t, 2000) }

func TestDeepALongerLifeMissesNoStateAndKeepsNothing(t *testing.T) {
	enginetest.Deep(t)
	longLife(t, 50_000)
}

// longLife lets agents change their states at random, for a number of steps.
func longLife(t *testing.T, steps int) {
	t.Helper()
	kinds := fleettest.BuiltinKinds(t)
	synctest.Test(t, func(t *testing.T) {
		c := &circus{
			FeedEngine: &fleettest.FeedEngine{}, dice: rand.New(rand.NewPCG(1, 2)),
			states: map[core.PaneID]core.State{}, reported: map[core.PaneID]core.State{},
		}
		c.Change = engine.Change{Listing: fleettest.Listing(), Structural: true}
		f := openStreams(t, kinds, "", Options{Engine: c})
		m := f.newMember(rundir.Files{}, Interest{Watched: true})
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{subscribe(ctx, m, false), t, stop}
		first := r.next()
		c.hear(t, &first)
		var early uint64
		for step := range steps {
			c.turn()
			// Longer than an agent must seem idle to count as such, now and then.
			quiet := time.NewTimer(time.Duration(c.dice.IntN(200)) * time.Millisecond)
			if step%10 == 0 {
				quiet.Reset(5 * time.Second)
			}
			for waiting := true; waiting; {
				select {
				case e := <-r.Events:
					c.hear(t, &e)
				case <-quiet.C:
					waiting = false
				}
			}
			if step%10 == 0 {
				c.compare(t, step)
			}
			synctest.Wait()
			if n := len(m.tracker.LineCounts()); n > len(c.list.Panes)+1 {
				t.Fatalf("step %d: %d panes are remembered of %d", step, n, len(c.list.Panes))
			}
			if step == steps/3 {
				early = heap()
			}
			if t.Failed() {
				break
			}
		}
		if late := heap(); late > early+8<<20 {
			t.Errorf("the heap grew from %d to %d bytes", early, late)
		}
		r.end()
	})
}

// compare compares the reported states with the true ones.
func (c *circus) compare(t *testing.T, step int) {
	t.Helper()
	if len(c.reported) != len(c.states) {
		t.Errorf("step %d: %d panes were told of, there are %d", step, len(c.reported), len(c.states))
	}
	for id, state := range c.states {
		if c.reported[id] != state {
			t.Errorf("step %d: %s is %s, and was told to be %s", step, id, state, c.reported[id])
		}
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestKeepersComeAndGoWithoutATrace(t *testing.T) { comeAndGo(t, 60) }

func TestDeepMoreKeepersComeAndGoWithoutATrace(t *testing.T) {
	enginetest.Deep(t)
	comeAndGo(t, 600)
}

// comeAndGo replaces the keeper by another one, for a number of rounds.
func comeAndGo(t *testing.T, rounds int) {
	t.Helper()
	s := &fleettest.FeedEngine{Socket: "/soak"}
	s.Change = engine.Change{Listing: fleettest.Listing("a"), Structural: true}
	f := openStreams(t, fleettest.BuiltinKinds(t), fleettest.RuntimeDir(t), Options{Engine: s, Journal: &ledger{}})
	subscribed(t, f, Interest{}).end()
	before, handles := goleak.IgnoreCurrent(), openFiles(t)
	var revision core.Revision
	for round := range rounds {
		keeper := subscribed(t, f, Interest{})
		keeper.until(core.Resynced)
		follower := subscribed(t, f, Interest{Since: revision})
		if revision == 0 {
			follower.until(core.Resynced)
		}
		s.Show("a", fmt.Sprintf("b%d", round))
		keeper.until(core.PaneOpened)
		last := follower.until(core.PaneOpened)
		if revision > 0 {
			checkGapFree(t, revision, last)
		}
		keeper.end()
		follower.until(core.KeeperChanged)
		last = follower.until(core.Resynced)
		revision = last[len(last)-1].Revision
		follower.end()
	}
	if now := openFiles(t); now > handles+2 {
		t.Errorf("%d files are open, %d were", now, handles)
	}
	goleak.VerifyNone(t, before)
}

// openFiles counts this process's open files, where the system lists them.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

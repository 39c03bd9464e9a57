package fleet_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

func TestAUserPaneRestsAtItsPromptAndWorksWhileACommandRuns(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.tmux.Run("new-session", "-d", "-s", "own", "-x", "80", "-y", "24", "--", "sh", "-i")
	th.tmux.Run("new-window", "-d", "-t", "=own:", "--", "sh", "-c", "sleep 1000; true")
	th.tmux.Run("new-window", "-d", "-t", "=own:", "--", "sleep", "1000")
	states := func(want ...core.State) {
		t.Helper()
		th.until(t, func(s *core.Snapshot) bool {
			panes := s.Panes()
			for i, state := range want {
				if len(panes) != len(want) || panes[i].Status.State != state {
					return false
				}
			}
			return true
		})
	}
	states(core.Idle, core.Working, core.Working)
	th.tmux.Run("send-keys", "-t", "=own:0.0", "sleep 1000", "Enter")
	states(core.Working, core.Working, core.Working)
	th.tmux.Run("send-keys", "-t", "=own:0.0", "C-c")
	states(core.Idle, core.Working, core.Working)
}

// A status read from the screen of an unknown program has a low confidence, and does not change how the pane is typed
// into.
func TestGeneralRulesHaveLowConfidence(t *testing.T) {
	t.Parallel()
	pane := fleettest.Row("$1", "%1", "mine", engine.TagKind, "forgotten")
	p := &fleettest.Engine{
		Listing: engine.Listing{
			Taken: fleettest.Noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}},
			Panes: []engine.Pane{pane},
		},
		Screens: map[core.PaneID][]string{"%1": {"Proceed? (y/n)", "", ""}},
	}
	f := openFake(t, p)
	snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	got := snapshot.Panes()[0]
	if s := got.Status; s.State != core.Waiting || s.Confidence > 0.6 {
		t.Errorf("status = %+v", s)
	}
	if kind := f.Observer.KindOf(got); kind != nil {
		t.Errorf("it is typed into as %s", kind.ID)
	}
}

// Only a keeper sees a screen change. A single call uses the keeper's verdict, or else the time of the last output, if
// only this program can have printed it.
func TestProgramWithoutRulesWorksWhilePrinting(t *testing.T) {
	t.Parallel()
	const state = engine.TagState
	now := core.Process{PID: os.Getpid()}
	for name, c := range map[string]struct {
		printed time.Duration
		shared  bool
		ran     time.Duration
		tag     string
		keeper  core.Process
		want    core.State
	}{
		"it printed just now": {printed: time.Second, want: core.Working},
		"it printed as it started": {
			printed: time.Second, ran: 1500 * time.Millisecond,
			want: core.Unknown,
		},
		"it printed later":            {printed: time.Second, ran: 2 * time.Second, want: core.Working},
		"it printed a while ago":      {printed: 5 * time.Second, want: core.Unknown},
		"it or its neighbour printed": {printed: time.Second, shared: true, want: core.Unknown},
		"a keeper sees it change": {
			printed: time.Second, shared: true, tag: "working - 1", keeper: now,
			want: core.Working,
		},
		"a keeper sees nothing change": {
			printed: time.Second, tag: "unknown - 1", keeper: now,
			want: core.Unknown,
		},
		"a keeper that is gone saw it change":   {printed: 5 * time.Second, tag: "working - 1", want: core.Unknown},
		"it prints, and a keeper came just now": {printed: time.Second, keeper: now, want: core.Working},
	} {
		pane := fleettest.Row("$1", "%1", "make", engine.TagKind, string(core.KindCommand), state, c.tag)
		pane.Activity, pane.Alone = fleettest.Noon.Add(-c.printed), !c.shared
		if c.ran > 0 {
			pane.Tags[engine.TagStarted] = strconv.FormatInt(fleettest.Noon.Add(-c.ran).UnixMilli(), 10)
		}
		p := &fleettest.Engine{
			Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}},
			Screens: map[core.PaneID][]string{"%1": {"cc -c a.c", "", ""}}, Taken: fleettest.Noon,
		}
		dir := t.TempDir()
		f := fleet.Open(fleet.Options{
			Engine: p, Kinds: fleettest.Kinds(t, fleettest.StubKind), Runtime: dir,
			Now: func() time.Time { return fleettest.Noon },
		})
		if c.keeper.PID != 0 {
			left := rundir.Record{Revision: 1, Ceiling: 257, PID: c.keeper.PID}
			if err := left.Write(rundir.FilesOf(dir, engine.Info{Socket: "/s"}).Record); err != nil {
				t.Fatal(err)
			}
		}
		snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		if got := snapshot.Panes()[0].Status; got.State != c.want || len(got.Evidence) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// However little of a pane is asked for, what it prints is asked.
func TestEveryObservationShowsThatProgramPrints(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "own", lifecycle.LaunchRequest{Commands: []string{"while :; do echo $((n += 1)); sleep 0.2; done"}})
	for _, view := range []observe.View{{}, {Brief: true}, {Session: "own", Brief: true}, {Dirs: true}} {
		enginetest.Eventually(t, testTimeout, func() bool {
			snapshot, err := th.Overview.Snapshot(t.Context(), view)
			if err != nil {
				t.Fatal(err)
			}
			_, chosen, err := th.Overview.Chosen(t.Context(), resolve.Target{Session: "own"}, view)
			return err == nil && len(chosen) == 1 && chosen[0].Status.State == core.Working &&
				snapshot.Pane(chosen[0].ID).Status.State == core.Working
		}, func() string { return fmt.Sprintf("%+v", view) })
	}
}

// tmux does not report which of several panes in a window has printed.
func TestSharedWindowNeedsLastingObserverToTellWhichPaneWorks(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "both", lifecycle.LaunchRequest{
		Layout:   lifecycle.Tiled,
		Commands: []string{"while :; do echo $((n += 1)); sleep 0.2; done", "sleep 1000"},
	})
	states := func(want ...core.State) {
		t.Helper()
		th.until(t, func(s *core.Snapshot) bool {
			panes := s.Panes()
			return len(panes) == 3 && panes[1].Status.State == want[0] && panes[2].Status.State == want[1]
		})
	}
	states(core.Unknown, core.Unknown)
	r := subscribed(t, th.Fleet, keeper.Interest{Watched: true})
	states(core.Working, core.Unknown)
	r.end()
	states(core.Unknown, core.Unknown)
}

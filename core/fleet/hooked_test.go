package fleet

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/detect"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
)

func edgeTo(state core.State, session string) agent.Edge {
	return agent.Edge{Event: "Event", State: state, Session: session}
}

func TestAHooksPaneIsFoundByItsProcessItsNameOrItsSession(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	for name, c := range map[string]struct {
		report HookReport
		want   core.PaneID
	}{
		"process":                  {HookReport{PID: child.Process.Pid}, "%2"},
		"process of another pane":  {HookReport{PID: child.Process.Pid, Pane: "%1"}, "%2"},
		"name":                     {HookReport{Pane: "%1"}, "%1"},
		"name, and a process gone": {HookReport{Pane: "%1", PID: 1 << 30}, "%1"},
		"session":                  {HookReport{Edge: agent.Edge{Session: "mine"}}, "%3"},
		"nothing":                  {HookReport{Pane: "%99", Edge: agent.Edge{Session: "another"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			former := hookOf(core.Idle)
			former.Session = "mine"
			p := &puppet{listing: engine.Listing{Panes: []engine.Pane{
				row("$1", "%1", "claude"), row("$1", "%2", "claude"), row("$1", "%3", "claude", engine.TagHook, encodeHook(former)),
			}}}
			p.listing.Panes[1].Process.PID = os.Getpid()
			c.report.Edge.State, c.report.At = core.Working, noon.Add(time.Hour)
			err := staged(t, p).Hooked(t.Context(), c.report)
			if c.want == "" {
				wantError(t, err, core.PaneNotFound, "")
				return
			}
			if err != nil || len(p.tags) != 1 || p.tags[0].Pane != c.want || p.tags[0].Name != engine.TagHook {
				t.Fatalf("%+v, %v", p.tags, err)
			}
			if hook := decodeHook(p.tags[0].Value); hook == nil || hook.State != core.Working || !hook.At.Equal(noon.Add(time.Hour)) {
				t.Errorf("%q", p.tags[0].Value)
			}
		})
	}
}

func TestAnOldReportReplacesNoNewerOneAndNoReportIsNone(t *testing.T) {
	p := &puppet{listing: engine.Listing{Panes: []engine.Pane{row("$1", "%1", "claude", engine.TagHook, encodeHook(hookOf(core.Idle)))}}}
	f := staged(t, p)
	if err := f.Hooked(t.Context(), HookReport{Pane: "%1", Edge: edgeTo(core.Working, "s"), At: noon}); err != nil || len(p.tags) != 0 {
		t.Errorf("%+v, %v", p.tags, err)
	}
	if err := f.Hooked(t.Context(), HookReport{Edge: agent.Edge{Event: "Noise", Ignore: true}}); err != nil || p.questions != 1 {
		t.Errorf("%d questions, %v", p.questions, err)
	}
}

func TestTheKeeperHearsOfAHookAtOnceAndWhoeverLooksOnceReadsItOnThePane(t *testing.T) {
	th := open(t, tmux.Auto)
	m := mimes(t, th, "claude")
	m.shows(t, "working")
	r := subscribed(t, th.Fleet, Interest{})
	if pane := r.next().Snapshot.Pane(m.pane); pane.Status.State != core.Working {
		t.Fatalf("at first: %+v", pane.Status)
	}
	at := m.shows(t, "waiting_permission")
	err := th.Hooked(t.Context(), HookReport{
		Kind: "claude", Pane: m.pane, Edge: agent.Edge{Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval, Session: "s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	passed, e := r.states(core.Waiting)
	if !slices.Equal(passed, []string{"working>waiting"}) || e.Reason != core.ReasonApproval {
		t.Errorf("%q %+v", passed, e)
	}
	// The feed alone looks once a second, and less than that by chance.
	if lag := e.At.Sub(at); lag > 500*time.Millisecond {
		t.Logf("the event came %v after the box", lag)
	}
	explained, err := th.Explain(t.Context(), Target{Session: string(m.pane)})
	if err != nil || len(explained) != 1 || explained[0].Hook == nil || explained[0].Hook.Event != "PermissionRequest" || len(explained[0].Signals) < 2 {
		t.Errorf("%+v, %v", explained, err)
	}
}

func TestOfTwoReportsTheLaterCountsWhicheverComesFirst(t *testing.T) {
	m := newMemory(true)
	stopped, worked := detect.Hook{Event: "Stop", At: noon.Add(time.Second)}, detect.Hook{Event: "PostToolUse", At: noon}
	m.hooked("%1", stopped)
	m.hooked("%1", worked)
	if got := m.reported()["%1"]; got.Event != "Stop" {
		t.Errorf("%s counts", got.Event)
	}
}

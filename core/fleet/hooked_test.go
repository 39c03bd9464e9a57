package fleet_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

func edgeTo(state core.State, session string) agent.Edge {
	return agent.Edge{Event: "Event", State: state, Session: session}
}

func TestAHooksPaneIsFoundByItsProcessItsNameOrItsSession(t *testing.T) {
	t.Parallel()
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	for name, c := range map[string]struct {
		report announce.HookReport
		want   core.PaneID
	}{
		"process":                  {announce.HookReport{PID: child.Process.Pid}, "%2"},
		"process of another pane":  {announce.HookReport{PID: child.Process.Pid, Pane: "%1"}, "%2"},
		"name":                     {announce.HookReport{Pane: "%1"}, "%1"},
		"name, and a process gone": {announce.HookReport{Pane: "%1", PID: 1 << 30}, "%1"},
		"session":                  {announce.HookReport{Edge: agent.Edge{Session: "mine"}}, "%3"},
		"nothing":                  {announce.HookReport{Pane: "%99", Edge: agent.Edge{Session: "another"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			former := hookEdge(core.Idle)
			former.Session = "mine"
			p := &fleettest.Engine{Listing: engine.Listing{Panes: []engine.Pane{
				fleettest.Row("$1", "%1", "claude"), fleettest.Row("$1", "%2", "claude"),
				fleettest.Row("$1", "%3", "claude", engine.TagHook, panetag.EncodeHook(former)),
			}}}
			p.Listing.Panes[1].Process.PID = os.Getpid()
			c.report.Edge.State, c.report.At = core.Working, fleettest.Noon.Add(time.Hour)
			err := openFake(t, p).Announcer.Hooked(t.Context(), c.report)
			if c.want == "" {
				fleettest.WantError(t, err, core.PaneNotFound, "")
				return
			}
			if err != nil || len(p.Tags) != 1 || p.Tags[0].Pane != c.want || p.Tags[0].Name != engine.TagHook {
				t.Fatalf("%+v, %v", p.Tags, err)
			}
			if hook := panetag.DecodeHook(p.Tags[0].Value); hook == nil || hook.State != core.Working ||
				!hook.At.Equal(fleettest.Noon.Add(time.Hour)) {
				t.Errorf("%q", p.Tags[0].Value)
			}
		})
	}
}

// An agent that a daemon runs has the environment of the pane where the daemon was started, and perhaps the session of
// the one that was there.
func TestAHookOfAnAgentThatRunsInNoPaneIsNoPanes(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.Symlink("/bin/sleep", program); err != nil {
		t.Fatal(err)
	}
	away, inside := exec.Command(program, "1000"), exec.Command("sleep", "1000")
	for _, child := range []*exec.Cmd{away, inside} {
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = child.Process.Kill()
			_ = child.Wait()
		})
	}
	former := hookEdge(core.Idle)
	p := &fleettest.Engine{Listing: engine.Listing{Panes: []engine.Pane{
		fleettest.Row("$1", "%1", "claude", engine.TagHook, panetag.EncodeHook(former)),
	}}}
	p.Listing.Panes[0].Process.PID = inside.Process.Pid
	report := announce.HookReport{
		Kind: "claude", Pane: "%1", PID: away.Process.Pid, Edge: edgeTo(core.Working, former.Session),
		At: fleettest.Noon.Add(time.Hour),
	}
	fleettest.WantError(t, openFake(t, p).Announcer.Hooked(t.Context(), report), core.PaneNotFound, "")
	p.Listing.Panes[0].Process.PID = away.Process.Pid
	if err := openFake(t, p).Announcer.Hooked(t.Context(), report); err != nil || len(p.Tags) != 1 {
		t.Fatalf("%+v, %v", p.Tags, err)
	}
	if hook := panetag.DecodeHook(p.Tags[0].Value); hook.Kind != "claude" || hook.PID != away.Process.Pid {
		t.Errorf("it was sent by %+v", hook)
	}
}

// An overview of agents starts the daemon that runs them, and a tool's command may start an agent.
func TestAHookOfAnAgentThatAnAgentRunsIsNotItsPanes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.Symlink("/bin/sh", program); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		within string
		is     bool
	}{"another": {"setsid ", false}, "the same": {"", true}} {
		inner := c.within + program + " -c 'echo $$; read stay; true'"
		outer := exec.Command(program, "-c", inner+"; true")
		stdin, err := outer.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := outer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := outer.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = stdin.Close()
			_ = outer.Wait()
		})
		var pid int
		if _, err := fmt.Fscan(stdout, &pid); err != nil {
			t.Fatal(err)
		}
		p := &fleettest.Engine{Listing: engine.Listing{Panes: []engine.Pane{fleettest.Row("$1", "%1", "claude")}}}
		p.Listing.Panes[0].Process.PID = outer.Process.Pid
		err = openFake(t, p).Announcer.Hooked(t.Context(), announce.HookReport{
			Kind: "claude", Pane: "%1", PID: pid, Edge: edgeTo(core.Working, "s"), At: fleettest.Noon,
		})
		if got := err == nil && len(p.Tags) == 1; got != c.is {
			t.Errorf("%s: %+v, %v", name, p.Tags, err)
		}
	}
}

func TestAnOldReportReplacesNoNewerOneAndNoReportIsNone(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: engine.Listing{Panes: []engine.Pane{fleettest.Row("$1", "%1", "claude",
		engine.TagHook, panetag.EncodeHook(hookEdge(core.Idle)))}}}
	f := openFake(t, p)
	if err := f.Announcer.Hooked(t.Context(),
		announce.HookReport{Pane: "%1", Edge: edgeTo(core.Working, "s"), At: fleettest.Noon}); err != nil ||
		len(p.Tags) != 0 {
		t.Errorf("%+v, %v", p.Tags, err)
	}
	if err := f.Announcer.Hooked(t.Context(),
		announce.HookReport{Edge: agent.Edge{Event: "Noise", Ignore: true}}); err != nil || p.Questions != 1 {
		t.Errorf("%d questions, %v", p.Questions, err)
	}
}

func TestHookReachesKeeperAtOnceAndIsStoredOnPane(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	m := mimes(t, th, "claude")
	m.shows(t, "working")
	r := subscribed(t, th.Fleet, keeper.Interest{})
	if pane := r.next().Snapshot.Pane(m.pane); pane.Status.State != core.Working {
		t.Fatalf("at first: %+v", pane.Status)
	}
	at := m.shows(t, "waiting_permission")
	err := th.Announcer.Hooked(t.Context(), announce.HookReport{
		Kind: "claude", Pane: m.pane,
		Edge: agent.Edge{Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval, Session: "s"},
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
	explained, err := th.Observer.Explain(t.Context(), resolve.Target{Session: string(m.pane)})
	if err != nil || len(explained) != 1 || explained[0].Hook == nil ||
		explained[0].Hook.Event != "PermissionRequest" || len(explained[0].Signals) < 2 {
		t.Errorf("%+v, %v", explained, err)
	}
}

// hookEdge is an edge into a state, one minute after noon.
func hookEdge(state core.State) detect.Hook {
	return detect.Hook{Event: "Event", State: state, At: fleettest.Noon.Add(time.Minute), Session: "s"}
}

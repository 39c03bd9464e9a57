package fleet_test

import (
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/system/process/job/jobtest"
)

// onEngines runs a test with a fleet on each terminal server.
func onEngines(t *testing.T, test func(*testing.T, *tmuxFleet)) {
	for _, kind := range []string{engine.Tmux, engine.Own} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(engine.Tmux); err != nil && kind == engine.Tmux {
				t.Skip(err)
			}
			test(t, openOn(t, enginetest.PrivateOf(t, kind), tmux.Auto))
		})
	}
}

// leaving starts a session whose agent leaves processes in every way and keeps running.
func (th *tmuxFleet) leaving(t *testing.T, session string) *jobtest.Scene {
	t.Helper()
	scene := jobtest.New(t)
	th.spawn(t, session, lifecycle.LaunchRequest{Commands: []string{scene.Script + "exec sleep 1000"}})
	scene.Started(t)
	return scene
}

func TestNothingOfAnAgentOutlivesIt(t *testing.T) {
	t.Parallel()
	const afterDeath = "kill of the session once the agent was killed"
	for name, end := range map[string]func(*testing.T, *tmuxFleet){
		"kill of the session": func(t *testing.T, th *tmuxFleet) { th.killed(t, "api") },
		"kill of the pane":    func(t *testing.T, th *tmuxFleet) { th.killed(t, "api.1") },
		afterDeath: func(t *testing.T, th *tmuxFleet) {
			table, err := process.All()
			if err != nil {
				t.Fatal(err)
			}
			leader := th.paneOf(t, "api.1").Process.PID
			for _, p := range table.Session(leader) {
				_ = process.Signal(p, syscall.SIGKILL)
			}
			enginetest.Eventually(t, testTimeout, func() bool { return th.paneOf(t, "api.1").Process.Dead }, nil)
			th.killed(t, "api")
		},
		"restart": func(t *testing.T, th *tmuxFleet) {
			done, err := th.Launcher.Restart(t.Context(), lifecycle.RestartRequest{
				Target: resolve.Target{Session: "api.1"}, NoWait: true,
			})
			if err != nil || len(done) != 1 || done[0].Reaped == 0 || len(done[0].Left) != 0 {
				t.Errorf("%+v, %v", done, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEngines(t, func(t *testing.T, th *tmuxFleet) {
				scene, spared := th.leaving(t, "api"), th.leaving(t, "web")
				old := scene.Started(t)
				end(t, th)
				switch name {
				case afterDeath: // it has no id, no terminal and no leader
					scene.Gone(t, jobtest.Unmarked, "env -i")
				case "restart":
					// The new agent does the same again: those that left the old one are gone.
					for way, p := range old {
						if way != jobtest.Unmarked && p.Alive() {
							t.Errorf("the process that left by %q goes on: %d", way, p.PID)
						}
					}
					scene.Started(t)
				default:
					scene.Gone(t, jobtest.Unmarked)
				}
				for way, p := range spared.Started(t) {
					if !p.Alive() {
						t.Errorf("the process of another session that left by %q was ended", way)
					}
				}
			})
		})
	}
}

// killed kills what a word names.
func (th *tmuxFleet) killed(t *testing.T, word string) *lifecycle.Killed {
	t.Helper()
	request := lifecycle.KillRequest{Target: resolve.Target{Session: word}, DryRun: true}
	planned, err := th.Launcher.Kill(t.Context(), request)
	if err != nil || len(planned.Ending) == 0 {
		t.Errorf("planned: %+v, %v", planned, err)
	}
	request.DryRun = false
	killed, err := th.Launcher.Kill(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if len(killed.Left) != 0 {
		t.Errorf("left are %v", killed.Left)
	}
	return killed
}

func TestWhatAUserStartedIsLeftAndListed(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, th *tmuxFleet) {
		th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{"exec sleep 1000"}})
		scene := jobtest.New(t)
		pane := th.paneOf(t, "api.0")
		if err := th.options.Engine.Paste(t.Context(), pane.ID, []byte(scene.Script)); err != nil {
			t.Fatal(err)
		}
		if err := th.options.Engine.Press(t.Context(), pane.ID, "Enter"); err != nil {
			t.Fatal(err)
		}
		running := scene.Started(t)
		killed, err := th.Launcher.Kill(t.Context(), lifecycle.KillRequest{Target: resolve.Target{Session: "api"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"setsid", "nohup", "double setsid deaf"} {
			p := running[way]
			listed := slices.ContainsFunc(killed.Left, func(l job.Left) bool { return l.PID == p.PID && l.Why != "" })
			if !p.Alive() || !listed {
				t.Errorf("%s: alive %t, listed %t", way, p.Alive(), listed)
			}
		}
	})
}

func TestLeftoversAreListedAndEnded(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, th *tmuxFleet) {
		scene, spared := th.leaving(t, "api"), th.leaving(t, "web")
		wanted := scene.Started(t)
		if left, err := th.Launcher.Jobs.Leftovers(t.Context(), ""); err != nil || len(left) != 0 {
			t.Fatalf("leftovers beside their panes: %+v, %v", left, err)
		}
		// The pane ends without a kill of ours.
		if err := th.options.Engine.KillPane(t.Context(), th.paneOf(t, "api.1").ID); err != nil {
			t.Fatal(err)
		}
		var left []lifecycle.Leftover
		enginetest.Eventually(t, testTimeout, func() bool {
			var err error
			if left, err = th.Launcher.Jobs.Leftovers(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{"setsid", "nohup", "double setsid", "double setsid deaf", "closed files"} {
				if !slices.ContainsFunc(left, func(l lifecycle.Leftover) bool {
					return l.PID == wanted[way].PID && l.Session == "api" && l.Agent == "cmd_1"
				}) {
					return false
				}
			}
			return true
		}, func() string { return fmt.Sprintf("%+v of %+v", left, wanted) })
		for _, p := range spared.Started(t) {
			if slices.ContainsFunc(left, func(l lifecycle.Leftover) bool { return l.PID == p.PID }) {
				t.Errorf("%d of a pane that lives is one", p.PID)
			}
		}
		other, err := th.Launcher.Jobs.Leftovers(t.Context(), "web")
		if err != nil || len(other) != 0 {
			t.Errorf("of web: %+v, %v", other, err)
		}
		request := lifecycle.KillRequest{Target: resolve.Target{Session: "api"}, Leftovers: true}
		killed, err := th.Launcher.Kill(t.Context(), request)
		if err != nil || killed.Reaped == 0 || len(killed.Left) != 0 || len(killed.Panes) != 0 {
			t.Errorf("%+v, %v", killed, err)
		}
		scene.Gone(t, jobtest.Unmarked, "env -i")
		if snapshot := th.paneOf(t, "api.0"); snapshot == nil {
			t.Error("a pane was ended")
		}
		spared.Started(t)
	})
}

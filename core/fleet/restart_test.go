package fleet_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process"
)

// again restarts one pane and wants no error.
func (s *loggedFleet) again(t *testing.T, request lifecycle.RestartRequest) lifecycle.Restarted {
	t.Helper()
	if request.Target.Session == "" {
		request.Target.Session = "api.1"
	}
	answer, err := s.Launcher.Restart(t.Context(), request)
	if err != nil || len(answer) != 1 {
		t.Fatalf("%+v, %v\n%s", answer, err, s.screen(t, "api.1"))
	}
	return answer[0]
}

// paneOf is a pane of a fresh look.
func (th *tmuxFleet) paneOf(t *testing.T, address string) *core.Pane {
	t.Helper()
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{Dirs: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, pane := range snapshot.Panes() {
		if pane.Address() == address {
			return pane
		}
	}
	t.Fatalf("there is no pane %s", address)
	return nil
}

func TestARestartKeepsWhatAPaneIs(t *testing.T) {
	t.Parallel()
	s := play(t, 2, "--speed", "0")
	s.must(t, core.Delivered, deliver.Request{Text: "say before"})
	before := s.paneOf(t, "api.1")
	old, err := process.Find(before.Process.PID)
	if err != nil {
		t.Fatal(err)
	}
	if dry := s.again(t, lifecycle.RestartRequest{DryRun: true}); dry.Command != before.Agent.Launch || dry.Ready ||
		!old.Alive() {
		t.Errorf("%+v", dry)
	}
	got := s.again(t, lifecycle.RestartRequest{})
	after := s.paneOf(t, "api.1")
	if !got.Ready || got.After.State != core.Idle || got.Session != "" || got.Fresh == "" {
		t.Errorf("%+v", got)
	}
	if old.Alive() || after.Process.PID == before.Process.PID || !after.Agent.Started.After(before.Agent.Started) {
		t.Errorf("it is the same program: %+v, was %+v", after, before)
	}
	if after.ID != before.ID || after.Agent.Name != before.Agent.Name || after.Agent.Launch != before.Agent.Launch ||
		after.Process.Dir != before.Process.Dir {
		t.Errorf("%+v, was %+v", after, before)
	}
	if screen := s.screen(t, "api.1"); strings.Contains(screen, "before") {
		t.Errorf("the old screen is there:\n%s", screen)
	}
	if s.paneOf(t, "api.2").Process.PID == 0 {
		t.Error("the other agent is gone")
	}
	s.must(t, core.Delivered, deliver.Request{Text: "slow 1 works"})
}

func TestASmartRestartLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prompt  string
		shows   string
		why     string
		skipped bool
	}{
		"idle":    {"", "Type a prompt", "idle", false},
		"gone":    {"crash", "", "gone", false},
		"working": {"slow 600", "esc to interrupt", "working", true},
		"waiting": {"approve tool true", "enter to confirm", "waiting", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, 1)
			if test.prompt != "" {
				s.must(t, core.Delivered, deliver.Request{Text: test.prompt})
			}
			if test.shows != "" {
				s.shows(t, "api.1", test.shows)
			} else {
				s.until(t, func(p *core.Snapshot) bool {
					return p.Session("api").Agents()[0].Status.State == core.Exited
				})
			}
			pid := s.paneOf(t, "api.1").Process.PID
			got := s.again(t, lifecycle.RestartRequest{Smart: true})
			same := s.paneOf(t, "api.1").Process.PID == pid
			if got.Why != test.why || got.Skipped != test.skipped || same != test.skipped || got.Ready == test.skipped {
				t.Errorf("%+v; the same program: %v", got, same)
			}
			if test.skipped {
				if forced := s.again(t, lifecycle.RestartRequest{Smart: true, Force: true}); forced.Why != "forced" ||
					!forced.Ready {
					t.Errorf("forced: %+v", forced)
				}
			}
		})
	}
}

func TestASmartRestartKeepsADraft(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.must(t, core.Typed, deliver.Request{Text: "half a thought", NoEnter: true})
	if got := s.again(t, lifecycle.RestartRequest{Smart: true}); !got.Skipped || got.Why != "draft" {
		t.Errorf("%+v", got)
	}
}

func TestARestartEndsWhatOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	file := filepath.Join(t.TempDir(), "pid")
	s.spawn(t, "raw", lifecycle.LaunchRequest{Commands: []string{`trap '' HUP; echo $$ >` + file +
		`; echo up; while :; do sleep 0.1; done`}})
	s.shows(t, "raw.1", "up")
	old := pidIn(t, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	got := s.again(t, lifecycle.RestartRequest{Target: resolve.Target{Session: "raw.1"}})
	if old.Alive() || got.Reaped == 0 || !got.Ready {
		t.Errorf("%+v, the old one lives: %v", got, old.Alive())
	}
	s.shows(t, "raw.1", "up")
	if fresh := pidIn(t, file); fresh.PID == old.PID {
		t.Error("it is the same program")
	}
	if _, err := s.Launcher.Kill(t.Context(),
		lifecycle.KillRequest{Target: resolve.Target{Session: "raw"}}); err != nil {
		t.Error(err)
	}
}

func TestWhatCupolaDidNotStartIsNotRestarted(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	_, err := s.Launcher.Restart(t.Context(),
		lifecycle.RestartRequest{Target: resolve.Target{Session: "api.0", All: true}})
	if failed := core.AsError(err); !failed.HasCode(core.AgentNotFound) {
		t.Errorf("a user pane: %v", err)
	}
}

func TestARestartThatCannotBeginIsAnError(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: engine.Listing{
		Sessions: []engine.Session{{ID: "$1", Name: "api"}},
		Panes:    []engine.Pane{fleettest.Row("$1", "%1", "claude")},
	}}
	_, err := openFake(t, p).Launcher.Restart(t.Context(),
		lifecycle.RestartRequest{Target: resolve.Target{Session: "api"}, Every: true, DryRun: true})
	failed := new(core.Error)
	if !errors.As(err, &failed) || failed.Code != core.Conflict {
		t.Errorf("an agent in a user's shell: %v", err)
	}
}

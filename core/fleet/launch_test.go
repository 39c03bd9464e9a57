package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

func TestSpawnedSessionIsInNextSnapshot(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{tmux.Auto, tmux.Exec} {
		t.Run(transport, func(t *testing.T) {
			th := open(t, transport)
			dir := th.tmux.Dir
			th.spawn(t, "it's new",
				lifecycle.LaunchRequest{
					Dir: dir, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 2}},
					Commands: []string{"printf '%s|' $CUPOLA_SESSION $CUPOLA_PANE_NAME $PWD; exec sleep 1000"},
				})
			th.shows(t, "it's new.3", "it's|new|cmd_1|"+dir)
			var session *core.Session
			// The folder of a new program is unknown for a moment.
			enginetest.Eventually(t, testTimeout, func() bool {
				snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{Dirs: true})
				if err != nil {
					t.Fatal(err)
				}
				session = snapshot.Session("it's new")
				return session != nil &&
					!slices.ContainsFunc(session.Panes, func(p core.Pane) bool { return p.Process.Dir == "" })
			}, func() string { return fmt.Sprintf("session = %+v", session) })
			if session.Foreign || len(session.Panes) != 4 {
				t.Fatalf("session = %+v", session)
			}
			for i, pane := range session.Panes {
				if pane.Ordinal != i || !pane.Managed || pane.Process.Dir != dir {
					t.Errorf("pane %d = %+v", i, pane)
				}
			}
			if agent := session.Panes[2].Agent; agent.Name != "st_2" || agent.Kind != "stub" ||
				agent.Launch != "sh -i" || agent.Started.IsZero() {
				t.Errorf("agent = %+v", agent)
			}
			if window := session.Panes[2].Window.Name; window != "st_2" {
				t.Errorf("window = %q", window)
			}
		})
	}
}

func TestATiledSessionHasOneWindow(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{
		Layout: lifecycle.Tiled,
		Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 11}},
	})
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	windows := map[core.WindowID]bool{}
	for _, pane := range snapshot.Panes() {
		windows[pane.Window.ID] = true
	}
	if len(snapshot.Panes()) != 12 || len(windows) != 1 {
		t.Errorf("%d panes in %d windows", len(snapshot.Panes()), len(windows))
	}
}

func TestOrdinalsAreNeverGivenTwice(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	one := lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}}}
	th.spawn(t, "api", one)
	for want := 2; want <= 4; want++ {
		answer, err := th.Launcher.Add(t.Context(), lifecycle.AddRequest{Session: "api", Launch: one})
		if err != nil || answer.Panes[0].Ordinal != want {
			t.Fatalf("added %+v, %v; want ordinal %d", answer, err, want)
		}
		if _, err := th.Launcher.Kill(t.Context(),
			lifecycle.KillRequest{Target: resolve.Target{Session: core.AddressOf("api", want).String()}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAddingAtTheSameMomentGivesDifferentNumbers(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{})
	const callers = 6
	errs := make(chan error, callers)
	for range callers {
		go func() {
			_, err := th.Launcher.Add(t.Context(),
				lifecycle.AddRequest{
					Session: "api",
					Launch:  lifecycle.LaunchRequest{Commands: []string{"exec sleep 1000"}},
				})
			errs <- err
		}()
	}
	for range callers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	seen, err := th.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, pane := range seen.Listing.Panes {
		given[pane.Tags[engine.TagOrdinal]+pane.Tags[engine.TagName]] = true
	}
	if len(seen.Listing.Panes) != callers+1 || len(given) != callers+1 {
		t.Errorf("%d panes have the numbers and names %v", len(seen.Listing.Panes), given)
	}
}

func TestWaitReadySeesThePrompt(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto, "--start-delay", "300ms", "--speed", "0.1")
	var seen []core.Progress
	answer := th.spawn(t, "api", lifecycle.LaunchRequest{
		Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 2}}, WaitReady: true,
		Progress: func(p core.Progress) { seen = append(seen, p) },
	})
	if user := answer.Panes[0]; user.Ready || user.Status.State != core.Idle {
		t.Errorf("the user pane: %+v", user)
	}
	for _, pane := range answer.Panes[1:] {
		if !pane.Ready || pane.Screen != "" || pane.Status.State != core.Idle {
			t.Errorf("pane = %+v", pane)
		}
	}
	if len(seen) == 0 || seen[len(seen)-1].Phase != "ready" {
		t.Errorf("progress = %+v", seen)
	}
}

func TestSnapshotAfterWaitUsesItsObservations(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	began := time.Now().Truncate(time.Millisecond)
	th.spawn(t, "api", lifecycle.LaunchRequest{
		Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}, WaitReady: true,
	})
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	if status := snapshot.Session("api").Panes[1].Status; status.State != core.Idle || status.Since.Before(began) ||
		status.Since.After(time.Now()) {
		t.Errorf("%+v; it was started at %v", status, began)
	}
}

func TestAnAgentIsStartingWhileItsPromptIsNotDrawn(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto, "--start-delay", "1h")
	th.spawn(t, "api", lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}})
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	if status := snapshot.Session("api").Panes[1].Status; status.State != core.Starting || status.Since.IsZero() {
		t.Errorf("%+v", status)
	}
}

func TestALateAgentIsATimeoutAndKept(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto, "--start-delay", "1h")
	answer, err := th.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "api", Launch: lifecycle.LaunchRequest{
			Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}, WaitReady: true,
			Timeout: 300 * time.Millisecond,
		}})
	known := fleettest.WantError(t, err, core.Timeout, "")
	if answer == nil || answer.Panes[1].Ready || !strings.Contains(fmt.Sprint(known.Details), "scr_1") {
		t.Errorf("answer = %+v, details = %+v", answer, known.Details)
	}
	if snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{}); err != nil || len(snapshot.Panes()) != 2 {
		t.Errorf("the panes were not kept: %+v, %v", snapshot, err)
	}
}

func TestAnAgentThatEndsAtOnceIsNotReady(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto, "--no-such-flag")
	answer, err := th.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "api", NoUserPane: true, Launch: lifecycle.LaunchRequest{
			Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}, WaitReady: true,
		}})
	fleettest.WantError(t, err, core.NotReady, "")
	if pane := answer.Panes[0]; pane.Status.State != core.Exited || pane.Status.Reason != core.ReasonFailed ||
		pane.Ordinal != 1 {
		t.Errorf("pane = %+v", pane)
	}
}

func TestTheFirstPromptReachesEveryAgent(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	th := open(t, tmux.Auto, "--log", log, "--speed", "0")
	answer, err := th.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "api", Launch: lifecycle.LaunchRequest{
			Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 2}}, Prompt: "say hello",
		}})
	for _, pane := range answer.Panes[1:] {
		if pane.Delivery == nil {
			t.Fatalf("no delivery: %+v, %v", pane, err)
		}
	}
	enginetest.Eventually(t, testTimeout, func() bool {
		text, err := os.ReadFile(log)
		return err == nil && strings.Count(string(text), `"text":"say hello"`) == 2
	}, func() string { return fmt.Sprintf("%+v, %v", answer, err) })
}

func TestAFailedWorktreeLeavesNothing(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	th := open(t, tmux.Auto)
	hooks := filepath.Join(repo, ".git", "hooks")
	if err := errors.Join(os.MkdirAll(hooks, 0o700),
		shelltest.WriteProgram(filepath.Join(hooks, "post-checkout"), []byte("#!/bin/sh\nexit 1\n"))); err != nil {
		t.Fatal(err)
	}
	_, err := th.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "api", Launch: lifecycle.LaunchRequest{
		Dir: repo, Worktree: true, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
	}})
	fleettest.WantError(t, err, core.Conflict, "")
	if snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{}); err != nil || snapshot.EngineUp {
		t.Errorf("a server was started: %+v, %v", snapshot, err)
	}
	if left, _ := filepath.Glob(repo + "-worktrees*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if branches := gittest.Run(t, repo, nil, "branch", "--list", "cupola/*"); branches != "" {
		t.Errorf("left behind: %s", branches)
	}
}

func TestWorktreesGiveEveryAgentABranchOfItsOwn(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	th := open(t, tmux.Auto)
	inside := filepath.Join(repo, "sub")
	answer := th.spawn(t, "my api",
		lifecycle.LaunchRequest{Dir: inside, Worktree: true, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 2}}})
	if user := answer.Panes[0]; user.Dir != inside || user.Branch != "" {
		t.Errorf("user pane: %+v", user)
	}
	agent := answer.Panes[2]
	tree := filepath.Join(repo+"-worktrees", "my-api", "st_2")
	if agent.Branch != "cupola/my-api/st_2" || agent.Dir != filepath.Join(tree, "sub") {
		t.Errorf("agent: %+v", agent)
	}
	if branch := gittest.Run(t, agent.Dir, nil, "branch", "--show-current"); branch != agent.Branch {
		t.Errorf("branch in the worktree = %q", branch)
	}
}

// A program that makes a worktree itself does not get one beside it.
func TestTwoWorktreesOfOneAgentAreRefused(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Exec)
	repo := repository(t)
	if claude, is := fleettest.BuiltinKinds(t).Find("claude"); !is ||
		claude.Launch.WorktreeFlag([]string{"claude", "-w", "fix"}) != "-w" {
		t.Error("the flag of Claude Code is not known")
	}
	for _, args := range [][]string{{"--own-tree"}, {"-w", "fix"}, {"--own-tree=fix"}, {"--verbose"}} {
		for _, trees := range []bool{true, false} {
			_, err := th.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{
				Session: "twice", DryRun: true, Launch: lifecycle.LaunchRequest{
					Dir: repo, Worktree: trees, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
					Options: lifecycle.AgentOptions{Args: args},
				},
			})
			refused := core.AsError(err).HasCode(core.InvalidInput) &&
				strings.Contains(err.Error(), "makes a worktree of its own")
			if wanted := trees && args[0] != "--verbose"; refused != wanted {
				t.Errorf("%q with worktrees %t: %v", args, trees, err)
			}
		}
	}
}

func TestNoTwoMakeWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()}, func(o *fleet.Options) {
		o.Runtime = fleettest.RuntimeDir(t)
	})
	release, err := f.Dir.LockLaunch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	spawn := func(within time.Duration) error {
		ctx, stop := context.WithTimeout(t.Context(), within)
		defer stop()
		_, err := f.Launcher.Spawn(ctx,
			lifecycle.SpawnRequest{
				Session: "new",
				Launch: lifecycle.LaunchRequest{
					Dir: repo, Worktree: true,
					Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
				},
			})
		return err
	}
	fleettest.WantError(t, spawn(100*time.Millisecond), core.Timeout, "")
	if branches := gittest.Run(t, repo, nil, "branch", "--list", "cupola/*"); branches != "" {
		t.Errorf("it made %s beside another", branches)
	}
	release()
	if err := spawn(testTimeout); err != nil {
		t.Error(err)
	}
}

func TestWorktreesOfAFailedAddAreRemovedAndNoOthers(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	gittest.Run(t, repo, nil, "branch", "cupola/api/st_2")
	gittest.Run(t, repo, nil, "worktree", "add", "-q", "-b", "mine", filepath.Join(repo+"-worktrees", "mine"))
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions(), CreateErr: map[int]error{1: os.ErrClosed}})
	launch := lifecycle.LaunchRequest{
		Dir: repo, Worktree: true, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
	}
	_, err := f.Launcher.Add(t.Context(), lifecycle.AddRequest{Session: "api", Launch: launch})
	fleettest.WantError(t, err, core.InternalError, "")
	launch.Agents[0].Count = 2
	_, err = f.Launcher.Add(t.Context(), lifecycle.AddRequest{Session: "api", Launch: launch})
	fleettest.WantError(t, err, core.Conflict, "")
	if trees := strings.Count(gittest.Run(t, repo, nil, "worktree", "list"), "\n") + 1; trees != 2 {
		t.Errorf("%d worktrees are left, want the repository and mine", trees)
	}
	if branches := strings.Fields(gittest.Run(t, repo, nil, "branch", "--list", "cupola/*")); !slices.Equal(branches,
		[]string{"cupola/api/st_2"}) {
		t.Errorf("branches = %q, want the one that was there before", branches)
	}
}

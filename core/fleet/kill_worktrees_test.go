package fleet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/git/gittest"
)

func TestAKillLeavesWorktreesAndRemovesThemOnlyWithoutWork(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	th := open(t, tmux.Auto)
	launch := lifecycle.LaunchRequest{
		Dir: filepath.Join(repo, "sub"), Worktree: true,
		Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 2}},
	}
	th.spawn(t, "api", launch)
	// A program that tmux has just started is in the server's directory for a moment.
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{Dirs: true})
		return err == nil && !slices.ContainsFunc(snapshot.Session("api").Panes, func(p core.Pane) bool {
			return p.Agent.Name != "" && !strings.HasPrefix(p.Process.Dir, repo+"-worktrees")
		})
	}, nil)
	second := filepath.Join(repo+"-worktrees", "api", "st_2")
	if err := os.WriteFile(filepath.Join(second, "half.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	whole := lifecycle.KillRequest{Target: resolve.Target{Session: "api"}, RemoveWorktrees: true}
	_, err := th.Launcher.Kill(t.Context(), whole)
	if known := fleettest.WantError(t, err, core.Conflict,
		""); known.Message != "api/st_2 holds 1 file that is not committed" {
		t.Error(known)
	}
	if snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{}); err != nil ||
		len(snapshot.Session("api").Panes) != 3 {
		t.Fatalf("something ended: %+v, %v", snapshot, err)
	}
	th.spawn(t, "guest", lifecycle.LaunchRequest{Dir: second, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}}})
	dry := whole
	dry.DryRun = true
	killed, err := th.Launcher.Kill(t.Context(), dry)
	if err != nil || len(killed.Worktrees) != 2 || !killed.Worktrees[0].Removed || killed.Worktrees[1].Removed ||
		killed.Worktrees[1].Why != "guest.0 is in it" {
		t.Errorf("with a guest: %+v, %v", killed, err)
	}
	killed, err = th.Launcher.Kill(t.Context(),
		lifecycle.KillRequest{Target: resolve.Target{Session: "api.1"}, RemoveWorktrees: true})
	if err != nil || len(killed.Worktrees) != 1 || !killed.Worktrees[0].Removed || killed.Worktrees[0].Agent != "st_1" {
		t.Errorf("%+v, %v", killed, err)
	}
	if branches := gittest.Run(t, repo, nil, "branch", "--list", "cupola/*"); strings.Contains(branches, "st_1") ||
		!strings.Contains(branches, "st_2") {
		t.Errorf("left: %s", branches)
	}
	whole.RemoveWorktrees = false
	killed, err = th.Launcher.Kill(t.Context(), whole)
	if err != nil || len(killed.Worktrees) != 1 || killed.Worktrees[0].Removed || killed.Worktrees[0].Path != second {
		t.Errorf("%+v, %v", killed, err)
	}
	launch.Agents[0].Count = 3
	_, err = th.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "api", Launch: launch})
	if known := fleettest.WantError(t, err, core.Conflict, ""); known.Message != second+" exists already" ||
		!slices.Contains(known.Remedies, core.RemedyReuseWorktree) {
		t.Errorf("%s: %q", known, known.Remedies)
	}
	if branches := gittest.Run(t, repo, nil, "branch", "--list", "cupola/*"); strings.Contains(branches, "st_1") {
		t.Errorf("left of the spawn that failed: %s", branches)
	}
}

// repository makes a git repository with one commit and a folder sub in it.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(repo, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "sub", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, repo, nil, "init", "-q")
	gittest.Run(t, repo, nil, "add", ".")
	gittest.Run(t, repo, nil, "commit", "-q", "-m", "first")
	return repo
}

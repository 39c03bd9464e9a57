package lifecycle

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

func TestAgentsInWorktreesOfTheirOwnHaveTheirBranch(t *testing.T) {
	pane := core.Pane{Session: "my api", Agent: core.Agent{Name: "cc_1", Kind: "claude"}}
	for dir, want := range map[string]string{
		"/src/api-worktrees/my-api/cc_1":     "cupola/my-api/cc_1",
		"/src/api-worktrees/my-api/cc_1/sub": "cupola/my-api/cc_1",
		"/src/api-worktrees/my-api/cc_12":    "",
		"/src/api":                           "",
	} {
		pane.Process.Dir = dir
		if got := ownBranch(&pane); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
}

func TestAllAgentsOfASessionAreRestartedOnlyWhereThatIsSaid(t *testing.T) {
	resolver := resolve.New(fleettest.Kinds(t, nil), false)
	api := resolve.Target{Session: "api"}
	for name, c := range map[string]struct {
		request RestartRequest
		want    string
	}{
		"a session":                  {RestartRequest{Target: api}, ""},
		"a session, by its id":       {RestartRequest{Target: resolve.Target{Session: "$1"}}, ""},
		"a session of one agent":     {RestartRequest{Target: resolve.Target{Session: "web"}}, ""},
		"a dry run":                  {RestartRequest{Target: api, DryRun: true}, ""},
		"a smart one":                {RestartRequest{Target: api, Smart: true}, "%1 %3"},
		"a smart one that is forced": {RestartRequest{Target: api, Smart: true, Force: true}, ""},
		"every one, by force":        {RestartRequest{Target: api, Smart: true, Force: true, Every: true}, "%1 %3"},
		"every one":                  {RestartRequest{Target: api, Every: true}, "%1 %3"},
		"an address":                 {RestartRequest{Target: resolve.Target{Session: "api.1"}}, "%1"},
		"a pane": {
			RestartRequest{Target: resolve.Target{Session: "api", Panes: []string{"3"}}},
			"%3",
		},
		"a kind": {RestartRequest{Target: resolve.Target{
			Session: "api",
			Kinds:   []string{"claude"},
		}}, "%1"},
		"all but one": {
			RestartRequest{Target: resolve.Target{Session: "api", Exclude: []string{"1"}}},
			"%3",
		},
		"a command that is named": {RestartRequest{Target: resolve.Target{Session: "api.2"}}, "%2"},
	} {
		panes, err := c.request.restartable(resolver)(fleettest.MixedSnapshot())
		if c.want == "" {
			known := fleettest.WantError(t, err, core.MissingRequired, "")
			if len(known.Suggestions) == 0 || known.Slip.Word != c.request.Target.Session {
				t.Errorf("%s: %q in the place of %+v", name, known.Suggestions, known.Slip)
			}
			if !slices.Contains(known.Remedies, core.RemedyRestartWhich) ||
				!strings.Contains(known.Message, "1 cc_1 (claude)") {
				t.Errorf("%s: %v", name, known)
			}
		} else if got := fleettest.IDs(panes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

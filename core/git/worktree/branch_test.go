package worktree_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
)

func TestBranchesAreNamedByTheirFields(t *testing.T) {
	issue := worktree.Start{Number: 7, Title: "The cart's TOTAL is wrong, and so is the tax of every line"}
	environ := []string{"LOGNAME=eve", "USER=ada lovelace"}
	for _, c := range []struct {
		start                worktree.Start
		pattern, want, fails string
	}{
		{pattern: worktree.DefaultBranch, want: "cupola/api/cc_1"},
		{pattern: "{user}/{agent}", want: "ada-lovelace/cc_1"},
		{start: issue, pattern: "fix/{number}-{title}", want: "fix/7-the-cart-s-total-is-wrong-and-so-is-the"},
		{start: worktree.Start{Title: "Größe: ../..{agent}@{1}"}, pattern: "{title}", want: "größe-agent-1"},
		{pattern: "plain", want: "plain"},
		{pattern: "{number}", fails: "none is named"},
		{pattern: "{agnet}", fails: "{agnet} is no field"},
		{pattern: "a{agent", fails: "has no end"},
	} {
		got, err := c.start.BranchOf(c.pattern, "api", "cc_1", environ)
		if got != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %q, %v, want %q%s", c.pattern, got, err, c.want, c.fails)
		}
	}
}

// begin prepares the worktrees of agents of a session that begin somewhere.
func (p *project) begin(start worktree.Start, ports string, agents ...string) (*worktree.Making, []worktree.Added,
	error,
) {
	p.t.Helper()
	making, err := worktree.Prepare(p.t.Context(), p.top, worktree.Options{Start: start, Ports: ports})
	if err != nil {
		return nil, nil, err
	}
	var all []worktree.Added
	for _, agent := range agents {
		added, err := making.Add(p.t.Context(), "api", agent)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, added)
	}
	err = making.Make(p.t.Context())
	return making, all, err
}

func TestAWorktreeThatHasTheBranchIsJoined(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(t.TempDir(), "login")
	gittest.Run(t, p.top, nil, "worktree", "add", "-q", "-b", "login", other)
	making, added, err := p.begin(worktree.Start{Branch: "login"}, filepath.Join(t.TempDir(), "ports"), "cc_1", "cc_2")
	if err != nil {
		t.Fatal(err)
	}
	if len(added) != 2 || added[0] != added[1] || added[0].Dir != other || !added[0].Joined || added[0].Index != 0 {
		t.Errorf("the agents are in %+v, not both in %s", added, other)
	}
	if variables := making.Variables(0); !slices.Contains(variables, "CUPOLA_WORKTREE="+other) ||
		!strings.Contains(strings.Join(variables, " "), "CUPOLA_PORT_BASE=2") {
		t.Errorf("the variables there are %v", variables)
	}
	if err := making.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if gittest.Run(t, other, nil, "rev-parse", "--abbrev-ref", "HEAD") != "login" {
		t.Error("the worktree of others went with a start that failed")
	}
	if _, _, err := p.begin(worktree.Start{Branch: "main"}, "", "cc_3"); core.AsError(err).Code != core.Conflict {
		t.Errorf("the branch of the main working tree: %v", err)
	}
	if _, _, err := p.begin(worktree.Start{Branch: "login", Base: "main"}, "", "cc_4"); err == nil {
		t.Error("a branch that is there begins at a base")
	}
}

func TestABranchIsCheckedOutAndKept(t *testing.T) {
	p := newProject(t)
	gittest.Run(t, p.top, nil, "branch", "fix")
	_, added, err := p.begin(worktree.Start{Branch: "fix"}, "", "cc_1")
	if err != nil || added[0].Joined || added[0].Dir != worktree.Path(p.top, "api", "cc_1") {
		t.Fatalf("%+v, %v", added, err)
	}
	repo, err := worktree.Open(t.Context(), p.top, worktree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := repo.Trees(t.Context())
	if err != nil || len(trees) != 1 || trees[0].Branch != "fix" || worktree.CheckedOut(added[0].Dir) != "fix" {
		t.Fatalf("%+v, %v", trees, err)
	}
	if err := repo.Remove(t.Context(), &trees[0], false); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, p.top, nil, "rev-parse", "--verify", "refs/heads/fix")
}

func TestTheWorkOfABranchIsWhatCameAfterItsBase(t *testing.T) {
	p := newProject(t)
	gittest.Run(t, p.top, nil, "checkout", "-q", "-b", "release")
	gittest.Run(t, p.top, nil, "commit", "-q", "--allow-empty", "-m", "release alone")
	base := gittest.Run(t, p.top, nil, "rev-parse", "HEAD")
	gittest.Run(t, p.top, nil, "checkout", "-q", "main")
	if _, _, err := p.begin(worktree.Start{Base: "release"}, "", "cc_1"); err != nil {
		t.Fatal(err)
	}
	repo, err := worktree.Open(t.Context(), p.top, worktree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := repo.Trees(t.Context())
	if err != nil || len(trees) != 1 {
		t.Fatalf("%+v, %v", trees, err)
	}
	if from, err := repo.Left(t.Context(), &trees[0]); err != nil || from != base {
		t.Errorf("its work began at %s, %v, want %s", from, err, base)
	}
	if _, _, err := p.begin(worktree.Start{Base: "releas"}, "", "cc_2"); core.AsError(err).Code != core.NotFound ||
		!slices.Contains(core.AsError(err).Suggestions, "release") {
		t.Errorf("a base that is none: %v", err)
	}
}

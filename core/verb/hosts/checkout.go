package hosts

import (
	"context"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type checkoutIn struct {
	verb.Branched `default:"branch=HEAD"`
	Dir           registry.WritePath `help:"Folder there (default: one in the home folder, called like the repository)"`
	registry.Preview
}

// checkoutOut is the answer: where a branch is.
type checkoutOut struct {
	Dir        string `json:"dir"`
	Repository string `json:"repository"`
	Branch     string `json:"branch"`
	// Commit is the commit that is checked out; empty in a dry run of something new.
	Commit string `json:"commit,omitempty"`
	DryRun bool   `json:"dry_run"`
}

var checkOut = registry.Define(registry.Spec[*verb.Env, checkoutIn, checkoutOut]{
	Name: "checkout", Group: verb.GroupHosts, Short: "Bring a branch to another host",
	Long: "Clones what the remote of this folder's repository has, or fetches it into the clone that is there. A " +
		"clone is brought up to date only if nothing of it is lost; another branch goes into a worktree beside it.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"--branch=main --repository=https://example.org/shop.git --dir=/src/shop --dry-run"},
	Errors: []core.Code{
		core.NotFound, core.Conflict, core.ToolNotFound, core.NetworkError, core.IOError, core.PermissionDenied,
	},
	Run: runCheckout,
}).SeeAlso("spawn", "hosts")

// Check sees that the flags fit together.
func (in checkoutIn) Check() error { return in.CheckBranch() }

// Depart takes along where the branch of the caller's folder can be cloned from.
func (in checkoutIn) Depart(ctx context.Context, from registry.Env) (any, error) {
	env, is := from.(*verb.Env)
	if !is {
		return in, nil
	}
	err := in.Branched.Depart(ctx, env, "checkout", func() any { return in }, in.DryRun)
	return in, err
}

func runCheckout(ctx context.Context, env *verb.Env, in checkoutIn) (checkoutOut, error) {
	dir, err := in.Bring(ctx, env, string(in.Dir), in.DryRun)
	if err != nil {
		return checkoutOut{}, err
	}
	out := checkoutOut{Dir: dir, Repository: string(in.Repository), Branch: in.Branch, DryRun: in.DryRun}
	if _, gone := os.Stat(dir); gone == nil {
		g := &git.Command{Dir: dir, Environ: env.Environ}
		out.Commit, _ = g.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD") // a branch may have no commit
	}
	return out, nil
}

// Report says where the branch is.
func (o checkoutOut) Report() *report.Report {
	return report.Say(verb.Done(o.DryRun, "Branch ", "Would bring branch "), report.Toned(report.Strong, o.Branch),
		report.Text(" of "+o.Repository+" is in "), report.Toned(report.Strong, o.Dir))
}

// Next says what can be done in it.
func (o checkoutOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	return verb.NextOnly("spawn", "Start an agent in it", "spawn", filepath.Base(o.Dir), "--dir="+o.Dir,
		"--agents=cc=1", "--dry-run")
}

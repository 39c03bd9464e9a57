package sessions

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/git/forge"
	"cupola/core/git/worktree"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// origin holds the inputs that say where the work in worktrees begins. Each of them implies worktrees.
type origin struct {
	Base           string `help:"Branch, tag or commit that new worktrees begin at (default: what is checked out)"`
	WorktreeBranch string `help:"Branch of the worktrees, with fields such as {agent}; a worktree that has it is joined"`
	FromPR         int    `flag:"from-pr" min:"1" help:"Work on this pull request of GitHub: its branch, and its text as first prompt"`
	FromIssue      int    `min:"1" help:"Work on this issue of GitHub: its text as first prompt"`
}

// inTree reports whether the inputs ask for worktrees.
func (o *origin) inTree() bool { return *o != origin{} }

// start is where worktrees begin, as far as that is known without asking others.
func (o *origin) start() worktree.Start {
	return worktree.Start{Base: o.Base, Branch: o.WorktreeBranch, Number: cmp.Or(o.FromPR, o.FromIssue)}
}

// check sees that the inputs fit together.
func (o *origin) check() error {
	switch {
	case o.FromPR > 0 && o.FromIssue > 0:
		return registry.Conflict("--from-pr", "--from-issue")
	case o.FromPR > 0 && o.Base != "":
		return registry.Conflict("--from-pr", "--base")
	case o.FromPR > 0 && o.WorktreeBranch != "":
		return registry.Conflict("--from-pr", "--worktree-branch")
	}
	return nil
}

// settle completes a request with what an issue or a pull request says: its text begins the first prompt, and the
// branch of a pull request is brought here unless the run is dry.
func (o *origin) settle(ctx context.Context, env *verb.Env, request *lifecycle.LaunchRequest, dry bool) error {
	if o.FromPR == 0 && o.FromIssue == 0 {
		return nil
	}
	ask := &forge.Ask{Dir: cmp.Or(request.Dir, env.Dir), Environ: env.Environ}
	ask.Program, _ = env.Bridges.Find("gh") // the question says what is missing
	find, number := ask.Issue, o.FromIssue
	if o.FromPR > 0 {
		find, number = ask.PullRequest, o.FromPR
	}
	item, err := find(ctx, number)
	if err != nil {
		return err
	}
	if !item.Open {
		env.Warn(item.URL + " is closed")
	}
	request.Start.Title = item.Title
	request.Prompt = item.Prompt(request.Prompt)
	if o.FromPR == 0 {
		return nil
	}
	request.Start.Branch = item.Branch()
	if dry {
		return nil
	}
	return item.Fetch(ctx, ask)
}

// originCodes are the codes with which what an input of origin names is not found.
var originCodes = []core.Code{core.AuthFailed, core.NetworkError, core.RemoteNotFound, core.DecodeFailed, core.Conflict}

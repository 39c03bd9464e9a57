package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/worktree"
)

// worktrees are the git worktrees that a plan gives to its agents, beside the
// repository: REPO-worktrees/SESSION/AGENT on branch cupola/SESSION/AGENT. The
// nil value has none.
type worktrees struct {
	repo    string
	environ []string
	trees   []worktree.Tree
	made    int
}

// planWorktrees gives every agent of a plan a worktree, if it is wanted, and
// makes none. The folder's place inside the repository is kept.
func (n *planner) planWorktrees(ctx context.Context, p *plan, wanted bool) error {
	if !wanted {
		return nil
	}
	if !n.environ.hasProgram("git") {
		return &core.Error{
			Code: core.ToolNotFound, Message: "git is not installed",
			Hint: "Install git, or start the agents without worktrees.",
		}
	}
	t := &worktrees{environ: n.environ}
	out, err := t.git(ctx, p.dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return core.Errorf(core.InvalidInput, "no worktrees can be made: %w", err)
	}
	top, prefix, _ := strings.Cut(out, "\n")
	if _, err := t.git(ctx, top, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return &core.Error{
			Code: core.InvalidInput, Message: top + " has no commit that worktrees could begin with",
			Hint: "Commit something first.",
		}
	}
	if t.repo = top; worktree.Within(top) {
		// Worktrees of agents that work in a worktree themselves are created beside it.
		repo, err := worktree.Open(ctx, top, n.environ)
		if err != nil {
			return err
		}
		top = repo.Top
	}
	for i := range p.units {
		u := &p.units[i]
		if u.known == nil || u.kind == core.KindCommand {
			continue
		}
		tree := worktree.Tree{
			Session: p.session, Agent: u.name,
			Path: worktree.Path(top, p.session, u.name), Branch: worktree.Branch(p.session, u.name),
		}
		u.dir, u.branch = filepath.Join(tree.Path, strings.TrimSpace(prefix)), tree.Branch
		t.trees = append(t.trees, tree)
	}
	p.trees = t
	return nil
}

// add makes the worktrees, where neither their folders nor their branches exist.
func (t *worktrees) add(ctx context.Context) error {
	if t == nil {
		return nil
	}
	for _, tree := range t.trees {
		if _, err := os.Lstat(tree.Path); err == nil {
			return t.taken(&tree, fmt.Sprintf("%s exists already", tree.Path))
		}
		if t.hasBranch(ctx, tree.Branch) {
			return t.taken(&tree, fmt.Sprintf("branch %s exists already", tree.Branch))
		}
		// git leaves both behind where a hook fails after they were made.
		t.made++
		if _, err := t.git(ctx, t.repo, "worktree", "add", "-b", tree.Branch, tree.Path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return core.Errorf(core.Conflict, "no worktree could be made at %s: %w", tree.Path, err)
		}
	}
	return nil
}

// taken reports a worktree whose folder or branch is left of an earlier session.
func (t *worktrees) taken(tree *worktree.Tree, message string) error {
	return &core.Error{
		Code: core.Conflict, Message: message,
		Remedies: []core.Remedy{core.RemedyReuseWorktree, core.RemedyListWorktrees, core.RemedyShowWorktree},
		Subject:  core.Subject{Trees: []core.Worktree{{Name: tree.Branch, Repo: t.repo}}},
	}
}

func (t *worktrees) hasBranch(ctx context.Context, branch string) bool {
	_, err := t.git(ctx, t.repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	return err == nil
}

// remove removes what add created.
func (t *worktrees) remove(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var errs []error
	for _, tree := range t.trees[:t.made] {
		if _, err := os.Lstat(tree.Path); err == nil {
			_, err := t.git(ctx, t.repo, "worktree", "remove", "--force", tree.Path)
			errs = append(errs, err)
		}
		if t.hasBranch(ctx, tree.Branch) {
			_, err := t.git(ctx, t.repo, "branch", "-D", tree.Branch)
			errs = append(errs, err)
		}
	}
	if len(t.trees) > 0 {
		session := filepath.Dir(t.trees[0].Path)
		// Both stay where something else is in them.
		_ = os.Remove(session)
		_ = os.Remove(filepath.Dir(session))
	}
	t.made = 0
	return errors.Join(errs...)
}

// git runs git in a folder and returns what it printed, without the last newline.
// Hooks and filters run: a new worktree may need what they do.
func (t *worktrees) git(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: t.environ, Programs: true}).Line(ctx, args...)
}

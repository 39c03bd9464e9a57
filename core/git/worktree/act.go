package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/shell"
)

// Merged is the result of a merge, or of a trial of one.
type Merged struct {
	// Into is the branch that received the commits, Commits the number that it lacked.
	Into    string
	Commits int
	// Uncommitted counts files in the worktree that are in no commit, and so are left out.
	Uncommitted int
}

// MergeRequest is a request to merge a branch.
type MergeRequest struct {
	// CommittedOnly allows a merge although the worktree has uncommitted changes, which
	// stay there.
	CommittedOnly bool
	DryRun        bool
}

// Merge merges a worktree's commits into the branch of the main working tree. It returns
// Conflict, and has changed nothing, where files there or in the worktree are not
// committed, or where both changed the same lines.
func (r *Repo) Merge(ctx context.Context, tree *Tree, request MergeRequest) (Merged, error) {
	merged := Merged{Into: r.Base}
	if r.Base == "" {
		err := core.Errorf(core.Conflict, "%s is on no branch that could take the commits", r.Top)
		err.Hint = "Check out the branch that is to take them there."
		err.Actions = []string{shell.Line("git", "-C", r.Top, "branch")}
		return merged, err
	}
	state, err := r.State(ctx, tree)
	if err != nil {
		return merged, err
	}
	merged.Commits = state.Ahead
	if merged.Uncommitted, err = r.uncommitted(ctx, tree); err != nil {
		return merged, err
	}
	if merged.Uncommitted > 0 && !request.CommittedOnly {
		err := uncommitted(merged.Uncommitted, tree.Path)
		err.Remedies = []core.Remedy{core.RemedyShowWorktree, core.RemedyMergeCommitted}
		err.Subject.Trees = r.subject(tree)
		return merged, err
	}
	if state.Ahead == 0 {
		return merged, nil
	}
	changed, err := r.act(ctx, r.Top, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return merged, err
	}
	if changed != "" {
		err := uncommitted(strings.Count(changed, "\n")+1, r.Top)
		err.Hint = "Commit or stash them first."
		err.Actions = []string{shell.Line("git", "-C", r.Top, "status")}
		return merged, err
	}
	if err := r.checkMerge(ctx, tree); err != nil || request.DryRun {
		return merged, err
	}
	from := cmp.Or(tree.Branch, tree.Head)
	if _, err := r.act(ctx, r.Top, "merge", "--no-edit", from); err != nil {
		_, undone := r.act(context.WithoutCancel(ctx), r.Top, "merge", "--abort")
		failed := core.Errorf(core.Conflict, "%s could not be merged: %w", tree.Name(), err)
		if _, merging := os.Stat(filepath.Join(r.Top, ".git", "MERGE_HEAD")); merging == nil {
			failed.Hint = fmt.Sprintf("The merge could not be undone (%v): see 'git status' in %s.", undone, r.Top)
		}
		return merged, failed
	}
	return merged, nil
}

// uncommitted is the error of a working tree with files that are in no commit.
func uncommitted(files int, dir string) *core.Error {
	if files == 1 {
		return core.Errorf(core.Conflict, "1 file in %s is not committed", dir)
	}
	return core.Errorf(core.Conflict, "%d files in %s are not committed", files, dir)
}

// checkMerge returns Conflict if a merge would fail. Older versions of git cannot check that.
func (r *Repo) checkMerge(ctx context.Context, tree *Tree) error {
	var out strings.Builder
	err := r.command(r.Top).Run(ctx, &out, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "HEAD",
		tree.Head)
	if failed := new(exec.ExitError); err == nil || !errors.As(err, &failed) || failed.ExitCode() != 1 {
		return ctx.Err()
	}
	files := git.Names(out.String())
	files = files[min(1, len(files)):] // the first is the tree that was written
	return collides(r, tree, files)
}

// Collision is the details of the Conflict of a merge: the files that both sides changed in the same lines.
type Collision struct {
	Files []string `json:"files"`
	// Base is the branch that was to take the commits.
	Base string `json:"-"`
}

// Prompt asks the agent of the worktree to resolve the collision there.
func (c *Collision) Prompt() string {
	return fmt.Sprintf("Your branch cannot be merged into %s: both changed the same lines of %s. Merge %s into your "+
		"branch, resolve the conflicts so that both changes keep their purpose, run the tests, and commit.",
		c.Base, strings.Join(c.Files, ", "), c.Base)
}

// CollisionOf returns the collision that an error of Merge is about; nil for another error.
func CollisionOf(err error) *Collision {
	if failed, is := errors.AsType[*core.Error](err); is {
		collision, _ := failed.Details.(*Collision)
		return collision
	}
	return nil
}

// collides is the error of a merge of a worktree that collides in some files.
func collides(r *Repo, tree *Tree, files []string) error {
	conflict := core.Errorf(core.Conflict, "%s and %s both changed %s", tree.Name(), r.Base, strings.Join(files, ", "))
	conflict.Hint = fmt.Sprintf("Have the agent merge %s into its branch and resolve that, then merge it.", r.Base)
	conflict.Details = &Collision{Files: files, Base: r.Base}
	conflict.Remedies = []core.Remedy{core.RemedyShowWorktree}
	conflict.Subject.Trees = r.subject(tree)
	return conflict
}

// Losses is the work that would be lost with a worktree and its branch.
type Losses struct {
	// Uncommitted counts files that are in no commit, Unmerged commits that are on no
	// other branch, remote or tag.
	Uncommitted, Unmerged int
	// Submodules is true where a submodule has files or commits that that of the main working tree has not.
	Submodules bool

	// modules is true where there are submodules: git removes no such worktree unforced.
	modules bool
}

// Any reports whether anything would be lost.
func (l Losses) Any() bool { return l.Uncommitted > 0 || l.Unmerged > 0 || l.Submodules }

// String returns a phrase such as "2 files that are not committed, and 1 commit on no other
// branch".
func (l Losses) String() string {
	var parts []string
	if l.Uncommitted > 0 {
		parts = append(parts, count(l.Uncommitted, "file that is not committed", "files that are not committed"))
	}
	if l.Unmerged > 0 {
		parts = append(parts, count(l.Unmerged, "commit that is on no other branch",
			"commits that are on no other branch"))
	}
	if l.Submodules {
		parts = append(parts, "submodules with changes or commits that may be nowhere else")
	}
	return strings.Join(parts, ", and ")
}

// Losses returns the work that would be lost with a worktree.
func (r *Repo) Losses(ctx context.Context, tree *Tree) (losses Losses, err error) {
	if losses.Uncommitted, err = r.uncommitted(ctx, tree); err != nil {
		return losses, err
	}
	if !tree.Gone {
		own, err := r.ask(ctx, tree.Path, "rev-parse", "--absolute-git-dir")
		if err != nil {
			return losses, err
		}
		if _, none := os.Stat(filepath.Join(own, "modules")); none == nil {
			losses.modules = true
			losses.Submodules = (&submodules{environ: r.options.Environ}).lost(ctx, r.Top, tree.Path, own)
		}
	}
	own, err := r.madeFor(ctx, tree)
	if err != nil {
		return losses, err
	}
	args := []string{"rev-list", "--count"}
	if own != "" {
		args = append(args, own)
	}
	if tree.Branch == "" || tree.Branch == own {
		args = append(args, tree.Head)
	}
	if len(args) == 2 {
		return losses, nil
	}
	out, err := r.ask(ctx, r.Top, append(args, "--not", "--exclude="+own, "--branches", "--remotes", "--tags", "--")...)
	if err != nil {
		return losses, err
	}
	losses.Unmerged, err = strconv.Atoi(out)
	return losses, err
}

// uncommitted counts the files of a worktree that are in no commit.
func (r *Repo) uncommitted(ctx context.Context, tree *Tree) (int, error) {
	if tree.Gone {
		return 0, nil
	}
	out, err := r.act(ctx, tree.Path, "status", "--porcelain", "--untracked-files=all")
	if err != nil || out == "" {
		return 0, err
	}
	return strings.Count(out, "\n") + 1, nil
}

func (r *Repo) has(ctx context.Context, branch string) bool {
	_, err := r.ask(ctx, r.Top, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	return err == nil
}

// Remove removes a worktree and the branch that was made for it. If work would be lost it
// removes nothing and returns Conflict, unless force is true.
func (r *Repo) Remove(ctx context.Context, tree *Tree, force bool) error {
	modules := false
	if !force {
		losses, err := r.Losses(ctx, tree)
		if err != nil {
			return err
		}
		var refusals Refusals
		refusals.Add(r, tree, losses)
		if err := refusals.Err(); err != nil {
			return err
		}
		modules = losses.modules
	}
	own, err := r.madeFor(ctx, tree)
	if err != nil {
		return err
	}
	if err := r.tearDown(ctx, tree, force); err != nil {
		return err
	}
	remove := []string{"worktree", "remove"}
	switch {
	case force:
		remove = append(remove, "--force", "--force") // twice also for one that is locked
	case modules:
		remove = append(remove, "--force")
	}
	if tree.Gone {
		remove = []string{"worktree", "prune"}
	} else {
		remove = append(remove, tree.Path)
	}
	if _, err := r.act(ctx, r.Top, remove...); err != nil {
		return core.Errorf(core.Conflict, "%s was not removed: %w", tree.Name(), err)
	}
	if own != "" {
		if _, err := r.act(ctx, r.Top, "branch", "-D", own); err != nil {
			return core.Errorf(core.Conflict, "%s was removed, but not its branch: %w", tree.Name(), err)
		}
	}
	if tree.Session == "" {
		return nil
	}
	removeFolders(tree.Path)
	return nil
}

// removeFolders removes the folders of the session and of the repository that the worktree of an agent was in. Both
// stay where something else is in them.
func removeFolders(tree string) {
	session := filepath.Dir(tree)
	_ = os.Remove(session)
	_ = os.Remove(filepath.Dir(session))
}

// tearDown runs the commands of the settings that belong before the removal of a worktree. If one fails the worktree
// stays, unless force is true.
func (r *Repo) tearDown(ctx context.Context, tree *Tree, force bool) error {
	if tree.Gone || len(r.options.Teardown) == 0 {
		return nil
	}
	err := r.options.TearDown(ctx, tree.Path)
	if err == nil || force && ctx.Err() == nil {
		return nil
	}
	failed := core.Errorf(core.Conflict, "%s was not removed: %w", tree.Name(), err)
	failed.Hint = core.AsError(err).Hint
	failed.Remedies, failed.Subject.Trees = []core.Remedy{core.RemedyGiveUpWorktree}, r.subject(tree)
	return failed
}

// Refusals are worktrees that are not removed because of what would be lost.
type Refusals struct {
	said  []string
	trees []core.Worktree
}

// Add adds a worktree with the work that would be lost.
func (l *Refusals) Add(repo *Repo, tree *Tree, losses Losses) {
	if losses.Any() {
		l.said = append(l.said, fmt.Sprintf("%s holds %s", tree.Name(), losses))
		l.trees = append(l.trees, repo.subject(tree)...)
	}
}

// Err returns a Conflict that names all of them; nil if there are none.
func (l *Refusals) Err() error {
	if len(l.said) == 0 {
		return nil
	}
	err := core.Errorf(core.Conflict, "%s", strings.Join(l.said, "; "))
	err.Remedies = []core.Remedy{core.RemedyGiveUpWorktree, core.RemedyShowWorktree}
	err.Subject.Trees = l.trees
	return err
}

// subject names a worktree in an error.
func (r *Repo) subject(tree *Tree) []core.Worktree {
	return []core.Worktree{{Name: tree.Name(), Repo: r.Top}}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

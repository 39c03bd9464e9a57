package changes

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
)

// mostPatch is how much of a patch is read, in bytes.
const mostPatch = 512 << 10

// Patch returns how a file of a tree that Read returned changed, or all files for an empty path, as git writes it. Cut
// is true if it is longer than what is read.
func Patch(ctx context.Context, tree *Tree, path string, environ []string) (patch string, cut bool, err error) {
	opened, err := git.Open(ctx, tree.Root, environ)
	if err != nil {
		return "", false, err
	}
	if path == "" {
		if patch, err = opened.Patch(ctx, tree.from); err != nil {
			return "", false, err
		}
	}
	for i := range tree.Files {
		file := &tree.Files[i]
		if path != "" && file.Path != path || path == "" && file.Kind != git.Untracked {
			continue
		}
		part, err := patchOf(ctx, opened, tree.from, file)
		if err != nil {
			return "", false, err
		}
		if patch += part; len(patch) > mostPatch {
			break
		}
	}
	if len(patch) > mostPatch {
		return patch[:strings.LastIndexByte(patch[:mostPatch], '\n')+1], true, nil
	}
	return patch, false, nil
}

// patchOf returns how one file changed.
func patchOf(ctx context.Context, opened *git.Tree, from string, file *File) (string, error) {
	switch {
	case file.Kind == git.Untracked:
		return opened.PatchOfNew(ctx, file.Path)
	case file.Kind == git.Unmerged:
		return opened.Conflict(ctx, file.Path)
	case file.From != "":
		return opened.Patch(ctx, from, file.Path, file.From)
	}
	return opened.Patch(ctx, from, file.Path)
}

// actor is git, which acts on a tree with the hooks and filters of its repository.
func actor(root string, environ []string) *git.Command {
	return &git.Command{
		Dir: root, Environ: environ, Env: []string{"GIT_LITERAL_PATHSPECS=1"}, Programs: true,
	}
}

// Stage stages a file, or all files for an empty path.
func Stage(ctx context.Context, root, path string, environ []string) error {
	if path == "" {
		_, err := actor(root, environ).Output(ctx, "add", "--all")
		return err
	}
	_, err := actor(root, environ).Output(ctx, "add", "--all", "--", path)
	return err
}

// Unstage takes a file back from what is staged; it stays as it is.
func Unstage(ctx context.Context, root string, change *git.Change, environ []string) error {
	paths := []string{change.Path}
	if change.From != "" {
		paths = append(paths, change.From)
	}
	_, err := actor(root, environ).Output(ctx, append([]string{"reset", "--quiet", "--"}, paths...)...)
	return err
}

// Discard takes the change of a file back. What it was goes onto git's stash, from which 'git stash pop' brings it
// back. It returns Conflict where the tree has no commit.
func Discard(ctx context.Context, root string, change *git.Change, environ []string) error {
	c := actor(root, environ)
	if _, err := c.Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return core.Errorf(core.Conflict, "%s has no commit yet, so git cannot set %s aside", root, change.Path)
	}
	if change.Kind == git.Unmerged {
		return core.Errorf(core.Conflict, "%s has a conflict; resolve it first", change.Path)
	}
	args := []string{
		"stash", "push", "--quiet", "--include-untracked", "--message", "cupola: discarded " + change.Path, "--",
		change.Path,
	}
	if change.From != "" {
		args = append(args, change.From)
	}
	_, err := c.Output(ctx, args...)
	return err
}

// Commit commits what is staged or, if nothing is, all that changed. It returns the hash in short. It returns
// InvalidInput for an empty message and Conflict if there is nothing to commit.
func Commit(ctx context.Context, root, message string, environ []string) (string, error) {
	if strings.TrimSpace(message) == "" {
		return "", core.Errorf(core.InvalidInput, "a commit needs a message")
	}
	c := actor(root, environ)
	_, err := c.Output(ctx, "diff", "--cached", "--quiet")
	switch failed := new(exec.ExitError); {
	case err == nil: // nothing is staged
		if err := Stage(ctx, root, "", environ); err != nil {
			return "", err
		}
		if _, err := c.Output(ctx, "diff", "--cached", "--quiet"); err == nil {
			return "", core.Errorf(core.Conflict, "there is nothing to commit in %s", root)
		}
	case !errors.As(err, &failed) || failed.ExitCode() != 1:
		return "", err
	}
	if _, err := c.Output(ctx, "commit", "--quiet", "--message", message); err != nil {
		return "", err
	}
	return c.Line(ctx, "rev-parse", "--short", "HEAD")
}

// Merge merges the commits of an agent's worktree into the branch of the main working tree.
func Merge(ctx context.Context, root string, request worktree.MergeRequest, environ []string) (worktree.Merged, error) {
	repo, err := worktree.Open(ctx, root, worktree.Options{Environ: environ})
	if err != nil {
		return worktree.Merged{}, err
	}
	trees, err := repo.Trees(ctx)
	if err != nil {
		return worktree.Merged{}, err
	}
	for i := range trees {
		if trees[i].Path == root {
			return repo.Merge(ctx, &trees[i], request)
		}
	}
	return worktree.Merged{}, core.Errorf(core.InvalidInput, "%s is no worktree of an agent", root)
}

package changes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
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
		part, err := patchOf(ctx, opened, tree, file)
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
func patchOf(ctx context.Context, opened *git.Tree, tree *Tree, file *File) (string, error) {
	from := tree.from
	switch {
	case file.Kind == git.Untracked && opened.Has(ctx, tree.look, file.Path):
		return opened.PatchSince(ctx, tree.look, file.Path)
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
func Stage(ctx context.Context, root, path string, environ []string) (*Undo, error) {
	return recorded(ctx, root, environ, nil, func(c *git.Command) error { return stage(ctx, c, path) })
}

func stage(ctx context.Context, c *git.Command, path string) error {
	args := []string{"add", "--all"}
	if path != "" {
		args = append(args, "--", path)
	}
	_, err := c.Output(ctx, args...)
	return err
}

// recorded carries out an act on a tree and returns how to take it back; nil where that cannot be known. paths are the
// files whose contents it changes.
func recorded(
	ctx context.Context, root string, environ, paths []string, act func(*git.Command) error,
) (*Undo, error) {
	t, untracked := track(ctx, root, environ, paths...)
	if err := act(t.git); err != nil {
		return nil, err
	}
	if untracked != nil {
		return nil, nil //nolint:nilerr // the act is done
	}
	undo, err := t.done(ctx)
	if err != nil {
		return nil, nil //nolint:nilerr // the act is done
	}
	return undo, nil
}

// pathsOf are the paths that a change concerns.
func pathsOf(change *git.Change) []string {
	if change.From != "" {
		return []string{change.Path, change.From}
	}
	return []string{change.Path}
}

// Unstage takes a file back from what is staged; it stays as it is.
func Unstage(ctx context.Context, root string, change *git.Change, environ []string) (*Undo, error) {
	return recorded(ctx, root, environ, nil, func(c *git.Command) error {
		_, err := c.Output(ctx, append([]string{"reset", "--quiet", "--"}, pathsOf(change)...)...)
		return err
	})
}

// Discard takes the change of a file back. It returns Conflict where the tree has no commit, where the file has a
// conflict, and where its contents cannot be kept; nothing has changed then.
func Discard(ctx context.Context, root string, change *git.Change, environ []string) (*Undo, error) {
	c, paths := actor(root, environ), pathsOf(change)
	if head, _ := heads(ctx, c); head == "" {
		return nil, core.Errorf(core.Conflict, "%s has no commit yet to go back to", root)
	}
	if change.Kind == git.Unmerged {
		return nil, core.Errorf(core.Conflict, "%s has a conflict; resolve it first", change.Path)
	}
	t, err := track(ctx, root, environ, paths...)
	if err == nil {
		err = keep(ctx, c, &t.undo) // before anything is lost
	}
	if err != nil {
		return nil, core.Errorf(core.Conflict, "%s cannot be kept, so it was not discarded: %w", change.Path, err)
	}
	for _, path := range paths {
		if err := toCommitted(ctx, c, path); err != nil {
			return nil, err
		}
	}
	first := t.undo
	undo, err := t.done(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s was discarded; its contents are in git as %s: %w", change.Path, first.Ref, err)
	}
	if undo.Ref != first.Ref {
		_ = Forget(ctx, &first, environ)
	}
	return undo, nil
}

// toCommitted makes a file as it was committed, in the index and in the tree.
func toCommitted(ctx context.Context, c *git.Command, path string) error {
	listed, err := c.Output(ctx, "ls-tree", "-z", "HEAD", "--", path)
	if err != nil {
		return err
	}
	if listed != "" {
		_, err = c.Output(ctx, "checkout", "--quiet", "HEAD", "--", path)
		return err
	}
	_, err = c.Output(ctx, "rm", "--quiet", "--cached", "-r", "--force", "--ignore-unmatch", "--", path)
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(c.Dir, path))
}

// Commit commits what is staged or, if nothing is, all that changed. It returns the hash in short. It returns
// InvalidInput for an empty message and Conflict if there is nothing to commit.
func Commit(ctx context.Context, root, message string, environ []string) (hash string, undo *Undo, err error) {
	if strings.TrimSpace(message) == "" {
		return "", nil, core.Errorf(core.InvalidInput, "a commit needs a message")
	}
	undo, err = recorded(ctx, root, environ, nil, func(c *git.Command) error { return commit(ctx, c, root, message) })
	if err != nil {
		return "", nil, err
	}
	hash, err = actor(root, environ).Line(ctx, "rev-parse", "--short", "HEAD")
	return hash, undo, err
}

func commit(ctx context.Context, c *git.Command, root, message string) error {
	_, err := c.Output(ctx, "diff", "--cached", "--quiet")
	switch failed := new(exec.ExitError); {
	case err == nil: // nothing is staged
		if err := stage(ctx, c, ""); err != nil {
			return err
		}
		if _, err := c.Output(ctx, "diff", "--cached", "--quiet"); err == nil {
			return core.Errorf(core.Conflict, "there is nothing to commit in %s", root)
		}
	case !errors.As(err, &failed) || failed.ExitCode() != 1:
		return err
	}
	_, err = c.Output(ctx, "commit", "--quiet", "--message", message)
	return err
}

// pushWithin is how long the server of a repository may take.
const pushWithin = 10 * time.Minute

// Pushed is the result of a push.
type Pushed struct{ Remote, Branch string }

// Push sends the branch of a tree to the remote that it tracks or, if it tracks none, to the only one or origin, and
// has it track that. Nothing is overwritten there. It returns Conflict where no branch is checked out or the remote has
// commits that are not here, and RemoteNotFound without a remote.
func Push(ctx context.Context, root string, environ []string) (Pushed, error) {
	c := actor(root, environ)
	c.Within = pushWithin
	_, branch := heads(ctx, c)
	if branch == "" {
		return Pushed{}, core.Errorf(core.Conflict, "no branch is checked out in %s", root)
	}
	pushed := Pushed{Branch: branch}
	var err error
	if pushed.Remote, err = remoteOf(ctx, c, branch); err != nil {
		return pushed, err
	}
	_, err = c.Output(ctx, "push", "--quiet", "--set-upstream", pushed.Remote, "refs/heads/"+branch)
	switch {
	case err == nil:
		return pushed, nil
	case strings.Contains(err.Error(), "[rejected]"), strings.Contains(err.Error(), "non-fast-forward"):
		failed := core.Errorf(core.Conflict, "%s has commits of %s that are not here", pushed.Remote, branch)
		failed.Hint = "Have the agent fetch and merge them first."
		return pushed, failed
	}
	return pushed, core.Errorf(core.NetworkError, "push %s: %w", branch, err)
}

// remoteOf returns the remote that a branch goes to.
func remoteOf(ctx context.Context, c *git.Command, branch string) (string, error) {
	own := "branch." + branch
	for _, key := range []string{own + ".pushRemote", "remote.pushDefault", own + ".remote"} {
		if name, err := c.Line(ctx, "config", "--get", key); err == nil && name != "" && name != "." {
			return name, nil
		}
	}
	out, err := c.Line(ctx, "remote")
	if err != nil {
		return "", err
	}
	names := strings.Fields(out)
	switch {
	case len(names) == 1:
		return names[0], nil
	case slices.Contains(names, "origin"):
		return "origin", nil
	}
	failed := core.Errorf(core.RemoteNotFound, "%s has no remote that %s could go to", c.Dir, branch)
	failed.Hint = "Add it with 'git remote add', or choose one with 'git config remote.pushDefault'."
	return "", failed
}

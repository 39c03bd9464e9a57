package loop

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
)

// Hidden is the file in a worktree with the tasks of a story whose source has no file of tasks. It is in no commit.
const Hidden = ".cupola-story.md"

// The trailers by which a commit names the run and the story that it proves.
const (
	runTrailer   = "Cupola-Run"
	storyTrailer = "Cupola-Story"
)

// tree is a git worktree that belongs to a run. Hooks of commits do not run: commits are made of what is there.
type tree struct {
	// root is its top, branch what is checked out there.
	root, branch string
	environ      []string
	// env has who commits, where git does not know, and keeps git from looking above the root.
	env []string
}

// openTree opens the worktree that a folder is in, for a branch. It returns ProjectNotFound if that is none of those
// that are made for agents: nothing of another tree is changed. Without a branch it is the user's, and only asked.
func openTree(ctx context.Context, dir, branch string, environ []string) (*tree, error) {
	t := &tree{root: dir, branch: branch, environ: environ}
	out, err := t.line(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	found := strings.Split(out, "\n")
	if err == nil && (len(found) != 3 || branch != "" && (found[1] == found[2] || !worktree.Within(found[0]))) {
		err = errors.New("it is no worktree")
	}
	if err != nil {
		return nil, &core.Error{
			Code: core.ProjectNotFound, Message: "the worktree " + dir + " of the run is gone: " + err.Error(),
			Err: err,
		}
	}
	t.root = found[0]
	// An agent may remove what makes the folder a worktree; one above it is another's.
	t.env = []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(t.root)}
	if _, err := t.line(ctx, "var", "GIT_COMMITTER_IDENT"); err != nil {
		t.env = append(t.env, "GIT_AUTHOR_NAME=Cupola", "GIT_AUTHOR_EMAIL=cupola@localhost",
			"GIT_COMMITTER_NAME=Cupola", "GIT_COMMITTER_EMAIL=cupola@localhost")
	}
	return t, nil
}

func (t *tree) command() *git.Command {
	return &git.Command{Dir: t.root, Environ: t.environ, Env: t.env, Programs: true, Within: gitWithin}
}

// gitWithin is how long git may take for one command.
const gitWithin = 10 * time.Minute

// line runs git and returns what it printed without the last newline. It is not cut off when ctx ends: a git that is
// killed leaves locks behind. Where another git holds a lock, as one that outlived a process that was killed, it waits;
// a lock of the run's own that stays is removed.
func (t *tree) line(ctx context.Context, args ...string) (string, error) {
	ctx = context.WithoutCancel(ctx)
	for began := time.Now(); ; {
		out, err := t.command().Line(ctx, args...)
		if err == nil {
			return out, nil
		}
		held := lockHeld().FindStringSubmatch(err.Error())
		switch {
		case held == nil, time.Since(began) > 2*lockWithin:
			return out, core.Errorf(core.IOError, "%w", err)
		case time.Since(began) > lockWithin && t.owns(held[1]):
			_ = os.Remove(held[1])
		}
		time.Sleep(lockEvery)
	}
}

// How long a lock may be held until it counts as left behind, and how often it is tried again.
const (
	lockWithin = 5 * time.Second
	lockEvery  = 100 * time.Millisecond
)

// lockHeld finds the lock that git could not take.
var lockHeld = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'([^']+\.lock)'?: File exists`) })

// owns reports whether a lock belongs to the worktree's index or head, or to a branch of runs.
func (t *tree) owns(lock string) bool {
	return strings.Contains(lock, "/worktrees/") && filepath.Base(filepath.Dir(lock)) == filepath.Base(t.root) ||
		strings.Contains(lock, "/refs/heads/cupola/story-") || strings.Contains(lock, "/refs/cupola/story/")
}

// inside returns InvalidInput if a path, which need not exist, leads out of the worktree: an agent can make any folder
// a link.
func (t *tree) inside(path string) error {
	at := path
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		at = filepath.Dir(path)
	}
	at, err := filepath.EvalSymlinks(at)
	if err == nil {
		var below string
		if below, err = filepath.Rel(t.root, at); err == nil && !filepath.IsLocal(below) {
			err = errors.New("it is a link that leads out of the worktree")
		}
	}
	if err != nil {
		return core.Errorf(core.InvalidInput, "%s: %w", path, err)
	}
	return nil
}

// head is the last commit of the branch.
func (t *tree) head(ctx context.Context) (string, error) {
	return t.line(ctx, "rev-parse", "--verify", "refs/heads/"+t.branch)
}

// content stages all that is in the worktree, and returns the id of that as a git tree.
func (t *tree) content(ctx context.Context) (string, error) {
	if _, err := t.line(ctx, "add", "--all", "--", ".", ":(top,exclude)"+Hidden); err != nil {
		return "", err
	}
	return t.line(ctx, "write-tree")
}

// commit makes a commit of a git tree that is on no branch yet.
func (t *tree) commit(ctx context.Context, content, parent, message string) (string, error) {
	command := t.command()
	command.Stdin = strings.NewReader(message)
	id, err := command.Line(context.WithoutCancel(ctx), "commit-tree", content, "-p", parent, "-F", "-")
	if err != nil {
		return "", core.Errorf(core.IOError, "commit: %w", err)
	}
	return id, nil
}

// point makes a commit the last of the branch, and the branch the one that is checked out, whatever an agent did to
// either. The files stay as they are.
func (t *tree) point(ctx context.Context, commit string) error {
	if _, err := t.line(ctx, "update-ref", "refs/heads/"+t.branch, commit); err != nil {
		return err
	}
	_, err := t.line(ctx, "symbolic-ref", "HEAD", "refs/heads/"+t.branch)
	return err
}

// reset makes the worktree that of a commit. What is not in it is kept under a ref of the run first.
func (t *tree) reset(ctx context.Context, run, commit string) error {
	content, err := t.content(ctx)
	if err != nil {
		return err
	}
	if head, err := t.line(ctx, "rev-parse", "HEAD^{tree}"); err != nil || head != content {
		if err := t.keepContent(ctx, run, content); err != nil {
			return err
		}
	}
	if err := t.point(ctx, commit); err != nil {
		return err
	}
	_, err = t.line(ctx, "reset", "--hard", "--quiet", commit)
	return err
}

// keep keeps a commit from being collected as garbage.
func (t *tree) keep(ctx context.Context, run, commit string) error {
	_, err := t.line(ctx, "update-ref", "refs/cupola/story/"+run+"/"+commit[:12], commit)
	return err
}

// keepContent keeps what is in the worktree before it is removed.
func (t *tree) keepContent(ctx context.Context, run, content string) error {
	parent, err := t.head(ctx)
	if err != nil {
		return err
	}
	kept, err := t.commit(ctx, content, parent, "What was in "+t.root+" before it was reset\n")
	if err != nil {
		return err
	}
	return t.keep(ctx, run, kept)
}

// holds reports whether a commit is on the branch.
func (t *tree) holds(ctx context.Context, commit string) bool {
	_, err := t.line(ctx, "merge-base", "--is-ancestor", commit, "refs/heads/"+t.branch)
	return err == nil
}

// removeTree removes another worktree with its branch, as far as they are there.
func (t *tree) removeTree(ctx context.Context, branch, path string) error {
	if _, err := os.Lstat(path); err == nil {
		if _, err := t.line(ctx, "worktree", "remove", "--force", "--force", path); err != nil {
			if err := os.RemoveAll(path); err != nil {
				return core.FileError("remove a worktree", err)
			}
		}
	}
	if _, err := t.line(ctx, "worktree", "prune"); err != nil {
		return err
	}
	if _, err := t.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		return nil //nolint:nilerr // there is no such branch
	}
	_, err := t.line(ctx, "branch", "-D", "--", branch)
	return err
}

// removeAdded removes the files that are not in a git tree, which are kept under a ref of the run first, and returns
// their names.
func (t *tree) removeAdded(ctx context.Context, run, was string) (added []string, err error) {
	now, err := t.content(ctx)
	if err != nil {
		return nil, err
	}
	out, err := t.line(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", was, now)
	if err != nil {
		return nil, err
	}
	added = strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	if len(added) == 0 {
		return nil, nil
	}
	if err := t.keepContent(ctx, run, now); err != nil {
		return nil, err
	}
	errs := core.Map(added, func(name string) error { return os.Remove(filepath.Join(t.root, name)) })
	return added, errors.Join(errs...)
}

// restore makes what is in the worktree that of a git tree, but for what git ignores.
func (t *tree) restore(ctx context.Context, was string) error {
	if now, err := t.content(ctx); err != nil || now == was {
		return err
	}
	_, err := t.line(ctx, "read-tree", "--reset", "-u", was)
	return err
}

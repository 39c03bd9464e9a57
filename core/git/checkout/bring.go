package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
)

// bringWithin is how long a clone or a fetch may take.
const bringWithin = 30 * time.Minute

// Request is a branch that is wanted in a folder of this machine.
type Request struct {
	Repository, Branch string
	// Dir is the folder; empty is one in Home that is called like the repository or, if that has another branch checked
	// out, a worktree beside it.
	Dir, Home string
	Environ   []string
	// DryRun changes nothing.
	DryRun bool
}

// Bring clones the repository, or fetches the branch into the clone that is there, and returns the folder in which the
// branch is checked out. A clone is brought up to date only if nothing of it is lost: it returns Conflict for a folder
// of something else, one with another branch, and a branch that has gone another way.
func Bring(ctx context.Context, r Request) (dir string, err error) {
	if err := r.check(); err != nil {
		return "", err
	}
	dir = r.Dir
	if dir == "" {
		dir = filepath.Join(r.Home, nameOf(r.Repository))
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", core.Errorf(core.InvalidInput, "%w", err)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return dir, r.clone(ctx, dir)
	case err != nil:
		return "", core.FileError("look at "+dir, err)
	}
	tree, err := git.Open(ctx, dir, r.Environ)
	switch {
	case missingGit(err) != nil:
		return "", missingGit(err)
	case err != nil || !sameFolder(tree.Root, dir):
		return "", r.occupied(dir, "something else")
	}
	return r.update(ctx, tree, dir)
}

// check returns InvalidInput for what git would take for something else.
func (r *Request) check() error {
	if r.Repository == "" || strings.HasPrefix(r.Repository, "-") || strings.Contains(r.Repository, "::") {
		return core.Errorf(core.InvalidInput, "a repository cannot be at %q", core.Cut(r.Repository))
	}
	control := func(c rune) bool { return c < ' ' }
	bad := strings.ContainsAny(r.Branch, " ~^:?*[\\\x7f") || strings.ContainsFunc(r.Branch, control)
	if r.Branch == "" || bad || strings.HasPrefix(r.Branch, "-") || strings.Contains(r.Branch, "..") ||
		strings.HasSuffix(r.Branch, "/") || strings.HasPrefix(r.Branch, "/") || strings.HasSuffix(r.Branch, ".lock") {
		return core.Errorf(core.InvalidInput, "no branch can be called %q", core.Cut(r.Branch))
	}
	return nil
}

// nameOf is the last part of a repository's address.
func nameOf(repository string) string {
	name := strings.TrimSuffix(path.Base(strings.TrimRight(strings.ReplaceAll(repository, ":", "/"), "/")), ".git")
	if name == "" || name == "." || name == ".." {
		return "repository"
	}
	return name
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// occupied says that a folder has something else in it.
func (r *Request) occupied(dir, what string) error {
	return &core.Error{
		Code:    core.Conflict,
		Message: dir + " has " + what + " in it, and not branch " + r.Branch + " of " + r.Repository,
		Hint:    "Say where it may be.",
	}
}

// clone clones the branch into a folder that is empty, or not there. A clone that fails is removed by git.
func (r *Request) clone(ctx context.Context, dir string) error {
	if r.DryRun {
		return nil
	}
	g := r.git(filepath.Dir(dir))
	if err := os.MkdirAll(g.Dir, 0o755); err != nil { //nolint:gosec // a folder of projects, as mkdir makes it
		return core.FileError("make "+g.Dir, err)
	}
	_, err := g.Output(ctx, "clone", "--quiet", "--branch", r.Branch, "--", r.Repository, dir)
	return failed(ctx, err, core.NetworkError)
}

// update fetches the branch into a clone, and checks it out there or beside it.
func (r *Request) update(ctx context.Context, tree *git.Tree, dir string) (string, error) {
	g := r.git(dir)
	address, err := g.Line(ctx, "remote", "get-url", "--", "origin")
	if err != nil || plain(address) != plain(r.Repository) {
		return "", r.occupied(dir, "another repository")
	}
	status, err := tree.Status(ctx)
	if err != nil {
		return "", core.Errorf(core.IOError, "%w", err)
	}
	if status.Branch != r.Branch && r.Dir != "" {
		return "", r.occupied(dir, "branch "+status.Branch)
	}
	fetched := "refs/remotes/origin/" + r.Branch
	if !r.DryRun {
		if _, err := g.Output(ctx, "fetch", "--quiet", "origin", "+refs/heads/"+r.Branch+":"+fetched); err != nil {
			return "", failed(ctx, err, core.NetworkError)
		}
	}
	if status.Branch == r.Branch {
		return dir, r.forward(ctx, dir, fetched)
	}
	beside := filepath.Join(dir+"-branches", strings.ReplaceAll(r.Branch, "/", "-"))
	if _, err := os.Lstat(beside); err == nil {
		own, err := git.Open(ctx, beside, r.Environ)
		if err != nil || own.Common != tree.Common {
			return "", r.occupied(beside, "something else")
		}
		if status, err := own.Status(ctx); err != nil || status.Branch != r.Branch {
			return "", r.occupied(beside, "another branch")
		}
		return beside, r.forward(ctx, beside, fetched)
	}
	if r.DryRun {
		return beside, nil
	}
	args := []string{"worktree", "add", "--quiet", beside, r.Branch}
	if _, err := g.Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+r.Branch); err != nil {
		args = []string{"worktree", "add", "--quiet", "--track", "-b", r.Branch, beside, "origin/" + r.Branch}
	}
	if _, err := g.Output(ctx, args...); err != nil {
		return "", failed(ctx, err, core.Conflict)
	}
	return beside, r.forward(ctx, beside, fetched)
}

// forward moves a checked-out branch to what was fetched, if it has not gone another way.
func (r *Request) forward(ctx context.Context, dir, fetched string) error {
	if r.DryRun {
		return nil
	}
	_, err := r.git(dir).Output(ctx, "merge", "--quiet", "--ff-only", fetched)
	return failed(ctx, err, core.Conflict)
}

func (r *Request) git(dir string) *git.Command {
	return &git.Command{Dir: dir, Environ: r.Environ, Env: quiet, Within: bringWithin, Programs: true}
}

// plain is an address of a repository as two spellings of it compare.
func plain(address string) string {
	if reached, err := reachable(address); err == nil {
		address = reached
	}
	return strings.TrimSuffix(strings.TrimRight(address, "/"), ".git")
}

// failed is the failure of a command of git.
func failed(ctx context.Context, err error, code core.Code) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case missingGit(err) != nil:
		return missingGit(err)
	}
	return core.Errorf(code, "%w", err)
}

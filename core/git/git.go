// Package git runs git, and reads from it what changed in a working tree. Its own queries only
// read: they take no lock, and run no hook, filter or other program that a repository's
// settings name. Every query has a time limit, and its output a size limit. Names of files are
// those of git without quoting, byte for byte. The package keeps nothing between calls.
package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cupola/core/system/plainfile"
)

// How long one question may take: of a tree, and of its history.
const (
	treeWithin = 5 * time.Second
	logWithin  = 20 * time.Second
)

// Tree is a working tree.
type Tree struct {
	// Root is its folder, and Common the folder of its repository, which the
	// worktrees of one repository share.
	Root, Common string

	environ []string
}

// Open returns the working tree that a folder is in. Environ is the environment of git, of
// which variables that name another repository are ignored. It returns ErrMissing and
// ErrNoTree, and ErrOtherTree for a repository whose settings name a working tree that is
// not its own.
func Open(ctx context.Context, dir string, environ []string) (*Tree, error) {
	t := &Tree{Root: dir, environ: environ}
	out, err := t.ask(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir",
		"--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoTree)
	}
	t.Root, t.Common = lines[0], lines[1]
	if !isRepository(t.Root, lines[2]) {
		return nil, fmt.Errorf("%s: %w: %s", lines[2], errOtherTree, t.Root)
	}
	return t, nil
}

// Above returns the nearest folder upward that git may take for the root of a working tree; empty if there is
// none. It asks git nothing.
func Above(dir string) string {
	for filepath.IsAbs(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// isRepository reports whether the .git of a working tree is a repository, or a file that
// names it.
func isRepository(root, repository string) bool {
	own := filepath.Join(root, ".git")
	info, err := os.Stat(own)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		if info, err = os.Stat(Linked(root)); err != nil {
			return false
		}
	}
	other, err := os.Stat(repository)
	return err == nil && os.SameFile(info, other)
}

// Linked returns the folder that the file .git of a working tree names, as one of a worktree or a submodule does; empty
// if there is no such file.
func Linked(root string) string {
	text, err := plainfile.Read(filepath.Join(root, ".git"), plainfile.Text)
	named, is := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !is {
		return ""
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(root, named)
	}
	return named
}

// Names returns the names in an answer of git that ends each with a zero byte.
func Names(answer string) []string {
	return strings.FieldsFunc(answer, func(r rune) bool { return r == 0 })
}

// Tracked returns the paths of the tracked files, relative to the tree's root.
func (t *Tree) Tracked(ctx context.Context) ([]string, error) {
	out, err := t.ask(ctx, "ls-files", "-z")
	return Names(out), err
}

func (t *Tree) ask(ctx context.Context, args ...string) (string, error) {
	return (&Command{Dir: t.Root, Environ: t.environ, Within: treeWithin}).Output(ctx, args...)
}

// Package git runs git, and asks it what changed in a working tree. What it asks
// itself only reads: no lock is taken, no hook and no program that a repository's
// settings name is run. Every question has a time limit, and its answer a limit of
// size. Names of files come in the form that git gives them without quoting, byte
// for byte. The package keeps nothing between calls.
package git

import (
	"context"
	"fmt"
	"strings"
	"time"
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

// Open returns the working tree that a folder is in. Environ is what git runs
// with, but for what would name another repository. It returns ErrMissing and
// ErrNoTree.
func Open(ctx context.Context, dir string, environ []string) (*Tree, error) {
	t := &Tree{Root: dir, environ: environ}
	out, err := t.ask(ctx, treeWithin, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	root, common, found := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	if !found {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoTree)
	}
	t.Root, t.Common = root, common
	return t, nil
}

// Tracked returns the files that the tree's repository holds now, from its root.
func (t *Tree) Tracked(ctx context.Context) ([]string, error) {
	out, err := t.ask(ctx, treeWithin, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

func (t *Tree) ask(ctx context.Context, within time.Duration, args ...string) (string, error) {
	return (&Command{Dir: t.Root, Environ: t.environ, Within: within}).Output(ctx, args...)
}

package history

import (
	"context"
	"path/filepath"
	"slices"

	"cupola/core"
	"cupola/core/fleet/worklog"
	gitchanges "cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/core/verb"
)

// acts reports whether a call acts on a tree.
func (in *filesIn) acts() bool { return in.Commit != "" || len(in.Revert) > 0 }

// oneTree is what a call did in one working tree, and its patch. The zero value is nothing.
type oneTree struct {
	patch, commit string
	cut           bool
	discarded     []string
}

// one takes changes back, commits, and reads the patch, in this order. It returns Ambiguous where there are several
// trees.
func (in *filesIn) one(ctx context.Context, env *verb.Env, work *worklog.Work) (one oneTree, err error) {
	if len(work.Trees) != 1 {
		return one, severalTrees(work)
	}
	root := work.Trees[0].Root
	for _, path := range in.Revert {
		if err := discard(ctx, env, root, path); err != nil {
			return one, err
		}
		one.discarded = append(one.discarded, path)
	}
	if in.Commit != "" {
		hash, back, err := gitchanges.Commit(ctx, root, in.Commit, env.Environ)
		if err != nil {
			return one, err
		}
		one.commit = hash
		recordOnTree(ctx, env, "committed "+hash+" in "+filepath.Base(root),
			"takes the commit away; its changes stay, staged as before", true, back)
	}
	if in.Patch {
		tree, err := readOne(ctx, env, root)
		if err != nil {
			return one, err
		}
		one.patch, one.cut, err = gitchanges.Patch(ctx, tree, "", env.Environ)
		return one, err
	}
	return one, nil
}

// severalTrees makes the error for a call that means one tree, where there is none or more than one.
func severalTrees(work *worklog.Work) error {
	if len(work.Trees) == 0 {
		return core.Errorf(core.NotFound, "no session is in a git working tree")
	}
	e := core.Errorf(core.Ambiguous, "the sessions are in %s", verb.Plural(len(work.Trees), "working tree"))
	for i := range work.Trees {
		e.Suggestions = append(e.Suggestions, work.Trees[i].Root)
	}
	e.Hint = "Name one with --tree."
	return e
}

// discard takes the change of a file back.
func discard(ctx context.Context, env *verb.Env, root, path string) error {
	tree, err := readOne(ctx, env, root)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(tree.Files, func(f gitchanges.File) bool { return f.Path == path && !f.Committed })
	if at < 0 {
		return core.Errorf(core.NotFound, "nothing of %s is uncommitted in %s", core.Cut(path), root)
	}
	back, err := gitchanges.Discard(ctx, root, &tree.Files[at].Change, env.Environ)
	if err != nil {
		return err
	}
	recordOnTree(ctx, env, "discarded "+path, "brings the change back", false, back)
	return nil
}

func readOne(ctx context.Context, env *verb.Env, root string) (*gitchanges.Tree, error) {
	trees, err := gitchanges.Read(ctx, []string{root}, env.Environ)
	if err != nil {
		return nil, err
	}
	if len(trees) != 1 || trees[0].Trouble != "" {
		return nil, core.Errorf(core.NotReady, "the working tree %s cannot be read", root)
	}
	return &trees[0], nil
}

// recordOnTree puts an act on a tree on record, so that it can be undone; back is nil where it cannot.
func recordOnTree(ctx context.Context, env *verb.Env, did, undoing string, asks bool, back *gitchanges.Undo) {
	if back != nil {
		verb.Acted(ctx, &env.Local, undo.Act{Did: did, Back: undoing, Asks: asks, Tree: back})
	}
}

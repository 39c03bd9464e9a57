package fleet

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/worktree"
)

// left is a worktree that agents leave behind.
type left struct {
	repo *worktree.Repo
	tree worktree.Tree
}

// leftBy finds the worktrees of agents that the panes are in, and no other one is.
func leftBy(ctx context.Context, environ []string, snapshot *core.Snapshot, panes []*core.Pane) ([]left, error) {
	var found []left
	for _, pane := range panes {
		dir := pane.Process.Dir
		if !worktree.Within(dir) || slices.ContainsFunc(found, func(l left) bool { return l.tree.Contains(dir) }) {
			continue
		}
		repo, err := worktree.Open(ctx, dir, environ)
		if err != nil {
			return nil, err
		}
		trees, err := repo.Trees(ctx)
		if err != nil {
			return nil, err
		}
		for i := range trees {
			if tree := &trees[i]; tree.Contains(dir) && !stays(snapshot, panes, tree) {
				found = append(found, left{repo, *tree})
			}
		}
	}
	return found, nil
}

// stays reports whether a pane that is not among some works in a worktree.
func stays(snapshot *core.Snapshot, panes []*core.Pane, tree *worktree.Tree) bool {
	return slices.ContainsFunc(snapshot.Panes(), func(other *core.Pane) bool {
		return tree.Contains(other.Process.Dir) && !slices.Contains(panes, other)
	})
}

// worktrees looks at what a kill leaves behind: all of it may be removed, if it is to be,
// or the error says what would be lost.
func (k *Killed) worktrees(ctx context.Context, trees []left, remove bool) error {
	for i := range trees {
		tree := &trees[i].tree
		k.Worktrees = append(k.Worktrees, KilledWorktree{Tree: *tree, Removed: remove})
		if !remove {
			continue
		}
		losses, err := trees[i].repo.Losses(ctx, tree)
		if err != nil {
			return err
		}
		if losses.Any() {
			return trees[i].repo.Refusal(tree, losses)
		}
	}
	return nil
}

// removeWorktrees removes what the kill left behind. One that has work after all stays.
func (k *Killed) removeWorktrees(ctx context.Context, trees []left) {
	for i := range trees {
		if err := trees[i].repo.Remove(ctx, &trees[i].tree, false); err != nil {
			k.Worktrees[i].Removed, k.Worktrees[i].Why = false, err.Error()
		}
	}
}

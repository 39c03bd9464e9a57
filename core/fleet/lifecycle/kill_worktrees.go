package lifecycle

import (
	"context"
	"errors"
	"slices"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
)

// leftWorktree is a worktree that ended agents leave behind.
type leftWorktree struct {
	repo *worktree.Repo
	tree worktree.Tree
	// stays names another user of the worktree; empty if there is none.
	stays string
}

// leftWorktrees returns the agents' worktrees that the panes are in. Worktrees removed by hand are skipped.
func leftWorktrees(
	ctx context.Context, options worktree.Options, snapshot *core.Snapshot, panes []*core.Pane,
) ([]leftWorktree, error) {
	var found []leftWorktree
	for _, pane := range panes {
		dir := pane.Process.Dir
		if !worktree.Within(dir) || slices.ContainsFunc(found,
			func(l leftWorktree) bool { return l.tree.Contains(dir) }) {
			continue
		}
		repo, err := worktree.Open(ctx, dir, options)
		if errors.Is(err, git.ErrNoTree) {
			continue
		}
		if err != nil {
			return nil, err
		}
		trees, err := repo.Trees(ctx)
		if err != nil {
			return nil, err
		}
		for i := range trees {
			if tree := &trees[i]; tree.Contains(dir) {
				found = append(found, leftWorktree{repo, *tree, otherUser(snapshot, panes, tree)})
			}
		}
	}
	return found, nil
}

// otherUser names a pane outside of panes that works in a worktree; empty if none does.
func otherUser(snapshot *core.Snapshot, panes []*core.Pane, tree *worktree.Tree) string {
	for _, other := range snapshot.Panes() {
		if tree.Contains(other.Process.Dir) && !slices.Contains(panes, other) {
			return other.Address() + " is in it"
		}
	}
	return ""
}

// worktrees checks the worktrees that a kill leaves behind: they may be removed, if requested, or the error
// says what would be lost.
func (k *Killed) worktrees(ctx context.Context, trees []leftWorktree, remove bool) error {
	var refusals worktree.Refusals
	for i := range trees {
		l := &trees[i]
		k.Worktrees = append(k.Worktrees, KilledWorktree{Tree: l.tree, Removed: remove && l.stays == "", Why: l.stays})
		if !k.Worktrees[i].Removed {
			continue
		}
		losses, err := l.repo.Losses(ctx, &l.tree)
		if err != nil {
			return err
		}
		refusals.Add(l.repo, &l.tree, losses)
	}
	return refusals.Err()
}

// removeWorktrees removes the worktrees that the kill left behind. One that has work after all stays.
func (k *Killed) removeWorktrees(ctx context.Context, trees []leftWorktree) {
	for i := range trees {
		if !k.Worktrees[i].Removed {
			continue
		}
		if err := trees[i].repo.Remove(ctx, &trees[i].tree, false); err != nil {
			k.Worktrees[i].Removed, k.Worktrees[i].Why = false, err.Error()
		}
	}
}

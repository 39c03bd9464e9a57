package lifecycle

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/git/worktree"
)

// setupWords returns the words of this program that set the worktree up in which something is launched, before that;
// none if it needs no set-up.
func (o *Options) setupWords(ctx context.Context, launch *engine.Launch) []string {
	trees := &o.Trees
	if len(trees.Setup) == 0 || len(launch.Argv) == 0 || !worktree.NeedsSetUp(ctx, launch.Dir, o.Environ) {
		return nil
	}
	return trees.SetupWords()
}

// ownWorktrees returns InvalidInput if an agent's program would make a worktree too: its work would be in another
// folder than the one that is known, listed and removed.
func ownWorktrees(p *plan) error {
	for i := range p.units {
		u := &p.units[i]
		if u.known == nil {
			continue
		}
		flag := u.known.Launch.WorktreeFlag(u.argv)
		if flag == "" {
			continue
		}
		err := core.Errorf(core.InvalidInput, "%s of %s makes a worktree of its own, and the agent gets one already",
			flag, u.known.Name)
		err.Hint = "Leave " + flag + " out of the agent's own arguments, or do not ask for worktrees here."
		return err
	}
	return nil
}

// planWorktrees gives every agent of a plan a worktree, if it is wanted, and
// makes none. The folder's place inside the repository is kept.
func (n *planner) planWorktrees(ctx context.Context, p *plan, request *LaunchRequest) error {
	if !request.Worktree {
		return nil
	}
	if err := ownWorktrees(p); err != nil {
		return err
	}
	trees := n.trees
	trees.Start = request.Start
	making, err := worktree.Prepare(ctx, p.dir, trees)
	if err != nil {
		return err
	}
	for i := range p.units {
		u := &p.units[i]
		if u.known == nil || u.kind == core.KindCommand {
			continue
		}
		added, err := making.Add(ctx, core.BareName(p.session), u.name)
		if err != nil {
			return err
		}
		u.dir, u.branch, u.joined, u.tree = added.Dir, added.Branch, added.Joined, added.Index+1
	}
	p.trees = making
	return nil
}

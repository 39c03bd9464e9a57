package lifecycle

import (
	"context"

	"cupola/core"
	"cupola/core/git/worktree"
)

// command returns how a program is started in a folder: in a worktree whose set-up has not succeeded yet, after that.
func (o *Options) command(ctx context.Context, dir string, argv []string) []string {
	if len(o.Trees.Setup) == 0 || len(argv) == 0 || !worktree.NeedsSetUp(ctx, dir, o.Environ) {
		return argv
	}
	return append([]string{o.Self, core.SetupWord}, argv...)
}

// planWorktrees gives every agent of a plan a worktree, if it is wanted, and
// makes none. The folder's place inside the repository is kept.
func (n *planner) planWorktrees(ctx context.Context, p *plan, wanted bool) error {
	if !wanted {
		return nil
	}
	making, err := worktree.Prepare(ctx, p.dir, n.trees)
	if err != nil {
		return err
	}
	for i := range p.units {
		u := &p.units[i]
		if u.known == nil || u.kind == core.KindCommand {
			continue
		}
		u.dir, u.branch = making.Add(core.BareName(p.session), u.name)
		u.tree = making.Len()
	}
	p.trees = making
	return nil
}

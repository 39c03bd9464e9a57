package worklog

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/observe"
)

// Conflicts returns the files that several agents of one working tree changed since a time. It
// runs git only in trees with several agents if at least one is in moved, and returns the
// roots of those trees.
func (s *Surveyor) Conflicts(
	ctx context.Context, seen *observe.Observation, since time.Time, moved []core.PaneID,
) (conflicts []alert.Conflict, roots []string) {
	v := s.survey(seen, since)
	conflicts = []alert.Conflict{}
	if err := v.find(ctx, ""); err != nil {
		s.opts.Log.Debug("working trees could not be found", "error", err)
		return conflicts, nil
	}
	hasMoved := func(one resident) bool { return slices.Contains(moved, one.Pane) }
	v.trees = slices.DeleteFunc(v.trees, func(tree *WorkTree) bool {
		return len(tree.inside) < 2 || !slices.ContainsFunc(tree.inside, hasMoved)
	})
	if len(v.trees) == 0 {
		return conflicts, nil
	}
	v.readEdits(ctx)
	v.ask(ctx)
	for _, c := range v.work().Conflicts {
		if c.Worktrees {
			continue
		}
		conflict := alert.Conflict{Tree: c.Tree, Path: c.Path, At: c.At}
		for _, agent := range c.Agents {
			conflict.Panes = append(conflict.Panes, agent.Pane)
		}
		conflicts = append(conflicts, conflict)
	}
	for _, tree := range v.trees {
		roots = append(roots, tree.Root)
	}
	return conflicts, roots
}

// Package sessions declares the verbs that start, rename, restart and end sessions and agents, and those of the
// worktrees of agents.
package sessions

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	spawn, add, adopt, attach, rename, label, kill, restartPane, smartRestart, worktreeList, worktreeDiff,
	worktreeMerge, worktreeRemove, treeChanges,
}

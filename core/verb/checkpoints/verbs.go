// Package checkpoints declares the verbs that record sessions and prompts and restore them.
package checkpoints

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	keep, checkpointList, restore, save, Replay, undoLast,
}

// Package kinds has the verbs about agent kinds of the user's own: their files are created, checked, and derived from
// recorded screens. The format of such a file belongs to package agent.
package kinds

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{kindNew, kindCheck, kindRecord}

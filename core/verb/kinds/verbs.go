// Package kinds has the verbs about agent kinds of the user's own: their files are begun, checked, and derived from
// recorded screens. What such a file may hold is in package agent.
package kinds

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{kindNew, kindCheck, kindRecord}

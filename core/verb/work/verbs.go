// Package work declares the verbs of work items: lists, plans and forecasts, changes, and who gets which.
package work

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	beadList, beadShow, beadClaim, beadCreate, beadClose, triage, plan, graph, forecast, impact, fileBeads,
	hotspots, relations, assign, bulkAssign,
}

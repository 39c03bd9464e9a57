// Package overview declares the verbs that show the fleet as it is now: status, snapshot, dashboard, alerts, and
// streams of what changes.
package overview

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	status, dashboard, snapshot, terse, markdown, watch, monitor, attention, next, sidebar, alerts, dismissAlert,
	listBackground, attachBackground,
}

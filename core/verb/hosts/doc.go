// Package hosts declares the verbs that keep the list of other hosts, say how they are, bring branches to them, and
// serve this machine on the bus.
package hosts

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{list, check, add, update, enable, disable, remove, checkOut, busServe, busDoctor}

// Package hosts declares the verbs that keep the list of other hosts, and say how they are.
package hosts

import "cupola/robot/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{list, check, add, enable, disable, remove}

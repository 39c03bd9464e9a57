package kinds

import "cupola/robot/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{kindNew, kindCheck, kindRecord}

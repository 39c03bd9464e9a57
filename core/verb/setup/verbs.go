package setup

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	setup, doctor, notifyTest, engineUpgrade,
}

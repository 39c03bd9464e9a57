package agents

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	Send, broadcast, saved, ack, answer, wait, route, keys, interrupt, tail, reply, contextUsed, probe,
	inspect, replayPane,
}

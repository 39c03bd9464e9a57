// Package agents declares the verbs that talk to agents: prompts, answers and keys in, screens and replies out.
package agents

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	Send, queued, broadcast, saved, ack, answer, wait, route, keys, interrupt, tail, reply, probe, inspect,
	replayPane,
}

// Package agentcli has the verbs with which an agent inside a story reads and reports it.
package agentcli

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	agentContext, agentTaskDone, agentStatus, agentLearn, agentSessionInit, agentSessionNextStory, agentSessionFlush,
	agentSessionResume,
}

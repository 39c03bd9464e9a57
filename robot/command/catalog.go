package command

import "cupola/robot/registry"

// Catalog returns every verb, in the order in which help shows them, and the
// verbs that are planned.
func Catalog() *registry.Catalog {
	return &registry.Catalog{
		Verbs: []*registry.Verb{
			status, snapshot, terse, markdown, watch, monitor,
			attention, alerts, dismissAlert, history,
			activity, isWorking, agentHealth, health, diagnose, explain,
			spawn, add, adopt, attach, rename, kill, restartPane, smartRestart,
			send, saved, ack, answer, wait, route, keys, interrupt, tail, reply, contextUsed, probe, inspect,
			tokens,
			pluginInstall, pluginStatus, pluginRemove,
			capabilities, schema, docs, version,
		},
		Planned: planned,
	}
}

// The headings under which help lists the verbs.
const (
	groupSee    = "See"
	groupFleet  = "Sessions"
	groupAgents = "Agents"
	groupMoney  = "Money"
	groupSetup  = "Setup"
	groupLearn  = "Learn"
)

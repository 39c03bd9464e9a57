package command

import (
	"os/exec"
	"slices"

	"cupola/core/bridge"
	"cupola/robot/registry"
)

// Catalog returns every verb, in the order in which help shows them, and the
// verbs that are planned.
func Catalog() *registry.Catalog { return CatalogOf(bridge.Open(nil, exec.LookPath)) }

// CatalogOf returns the verbs with those of the bridges that are known.
func CatalogOf(known *bridge.Bridges) *registry.Catalog {
	own := &registry.Catalog{
		Verbs: []*registry.Verb{
			status, dashboard, snapshot, terse, markdown, watch, monitor,
			attention, alerts, dismissAlert, history, digest, diff, files,
			activity, isWorking, agentHealth, health, diagnose, explain,
			spawn, add, adopt, attach, rename, kill, restartPane, smartRestart,
			worktreeList, worktreeDiff, worktreeMerge, worktreeRemove,
			send, broadcast, saved, ack, answer, wait, route, keys, interrupt, tail, reply, contextUsed, probe, inspect,
			beadList, beadShow, beadClaim, beadCreate, beadClose,
			triage, plan, graph, forecast, impact, fileBeads, hotspots, relations, assign, bulkAssign,
			relayVerb, backends, relayList, relayShow, relayWait, relayCancel, relayLabels, relayPrune,
			setup, doctor, tools,
			configShow, configGet, configSet, configEdit, configPaths, configInit,
			tokens, budgetShown, budgetSet, accountStatus, accountsList, quotaCheck, metrics,
			keep, checkpointList, restore, save, replay,
			pipelineRun, pipelineStatus, pipelineList, pipelineCancel,
			pluginInstall, pluginStatus, pluginUpdate, pluginRemove,
			capabilities, schema, docs, robotDocs, version,
		},
		Planned: planned,
	}
	// A verb of a tool takes no name of Cupola's own verbs.
	bridges := slices.DeleteFunc(bridgeVerbs(known),
		func(verb *registry.Verb) bool { return own.Find(verb.Name) != nil })
	own.Verbs = append(own.Verbs, bridges...)
	own.Planned = slices.DeleteFunc(slices.Clone(own.Planned),
		func(plan registry.Plan) bool { return own.Find(plan.Name) != nil })
	return own
}

// The headings under which help lists the verbs.
const (
	groupSee    = "Overview"
	groupFleet  = "Sessions"
	groupAgents = "Agents"
	groupRelay  = "Relays"
	groupMoney  = "Usage and budgets"
	groupWork   = "Work items"
	groupKeep   = "Save and restore"
	groupPipes  = "Pipelines"
	groupSetup  = "Setup"
	groupTools  = "External tools"
	groupLearn  = "Help for programs"
)

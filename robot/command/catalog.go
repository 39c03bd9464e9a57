package command

import (
	"os/exec"
	"slices"

	"cupola/core/bridge"
	"cupola/robot/command/agentcli"
	"cupola/robot/command/agents"
	"cupola/robot/command/checkpoints"
	"cupola/robot/command/crews"
	"cupola/robot/command/health"
	"cupola/robot/command/help"
	"cupola/robot/command/history"
	"cupola/robot/command/hosts"
	"cupola/robot/command/kinds"
	"cupola/robot/command/money"
	"cupola/robot/command/overview"
	"cupola/robot/command/pipelines"
	"cupola/robot/command/plugins"
	"cupola/robot/command/relays"
	"cupola/robot/command/servers"
	"cupola/robot/command/sessions"
	"cupola/robot/command/settings"
	"cupola/robot/command/setup"
	"cupola/robot/command/stories"
	"cupola/robot/command/tools"
	"cupola/robot/command/work"
	"cupola/robot/registry"
)

// Catalog returns every verb, in the order in which help shows them, and the
// verbs that are planned.
func Catalog() *registry.Catalog { return CatalogOf(bridge.Open(nil, exec.LookPath)) }

// CatalogOf returns the verbs with those of the bridges that are known.
func CatalogOf(known *bridge.Bridges) *registry.Catalog {
	own := &registry.Catalog{
		Verbs: slices.Concat(
			overview.Verbs, history.Verbs, health.Verbs, sessions.Verbs, agents.Verbs, work.Verbs, relays.Verbs,
			crews.Verbs, stories.Verbs, agentcli.Verbs, setup.Verbs, tools.Verbs, kinds.Verbs, settings.Verbs,
			money.Verbs, []*registry.Verb{history.Metrics}, checkpoints.Verbs,
			pipelines.Verbs, plugins.Verbs, servers.Verbs, hosts.Verbs, help.Verbs,
		),
		Planned: planned,
	}
	// A verb of a tool takes no name of Cupola's own verbs.
	bridges := slices.DeleteFunc(tools.BridgeVerbs(known),
		func(verb *registry.Verb) bool { return own.Find(verb.Name) != nil })
	own.Verbs = append(own.Verbs, bridges...)
	own.Planned = slices.DeleteFunc(slices.Clone(own.Planned),
		func(plan registry.Plan) bool { return own.Find(plan.Name) != nil })
	return own
}

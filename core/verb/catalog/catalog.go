// Package catalog lists all verbs, which the packages beside it declare: one file each with input, output, declaration
// and handler. Handlers return values; they never print, never ask who reads, and see no flag. What a handler works
// with is named in its declaration and opened before it runs (verb.Env).
package catalog

import (
	"os/exec"
	"slices"

	"cupola/core/bridge"
	"cupola/core/verb/agentcli"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/crews"
	"cupola/core/verb/health"
	"cupola/core/verb/help"
	"cupola/core/verb/history"
	"cupola/core/verb/hosts"
	"cupola/core/verb/kinds"
	"cupola/core/verb/money"
	"cupola/core/verb/overview"
	"cupola/core/verb/pipelines"
	"cupola/core/verb/plugins"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/runs"
	"cupola/core/verb/servers"
	"cupola/core/verb/sessions"
	"cupola/core/verb/settings"
	"cupola/core/verb/setup"
	"cupola/core/verb/stories"
	"cupola/core/verb/tools"
	"cupola/core/verb/work"
)

// All returns every verb, in the order in which help shows them.
func All() *registry.Catalog { return With(bridge.Open(nil, exec.LookPath)) }

// With returns the verbs with those of the bridges that are known.
func With(known *bridge.Bridges) *registry.Catalog {
	own := &registry.Catalog{
		Verbs: slices.Concat(
			overview.Verbs, history.Verbs, health.Verbs, sessions.Verbs, agents.Verbs, work.Verbs, runs.Verbs,
			relays.Verbs,
			crews.Verbs, stories.Verbs, agentcli.Verbs, setup.Verbs, tools.Verbs, kinds.Verbs, settings.Verbs,
			money.Verbs, []*registry.Verb{history.Metrics}, checkpoints.Verbs,
			pipelines.Verbs, plugins.Verbs, servers.Verbs, hosts.Verbs, help.Verbs,
		),
		Installed: func(tool string) bool { _, is := known.Installed(tool); return is },
	}
	// A verb of a tool takes no name of Cupola's own verbs.
	bridges := slices.DeleteFunc(tools.BridgeVerbs(known),
		func(verb *registry.Verb) bool { return own.Find(verb.Name) != nil })
	own.Verbs = append(own.Verbs, bridges...)
	return own
}

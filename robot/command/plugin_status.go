package command

import (
	"context"

	"cupola/core"
	"cupola/core/plugin"
	"cupola/robot/registry"
)

// pluginFilter chooses an agent kind.
type pluginFilter struct {
	Agent string `json:"agent,omitempty" arg:"1" help:"Agent kind (default: every kind that can have hooks)"`
}

type pluginStatusIn struct {
	pluginFilter
	registry.Page `default:"limit=100"`
}

type pluginStatusOut struct {
	Filters pluginFilter `json:"filters,omitzero"`
	// Plugins has a row an agent kind.
	Plugins []pluginRow `json:"plugins" empty:"No agent kind can have hooks."`
	paged
}

// pluginRow is the plugin of one agent kind.
type pluginRow struct {
	_     struct{} `minimal:"agent,state" standard:"agent,state,file,faults"`
	Agent string   `json:"agent" table:"AGENT"`
	// State is absent, installed, drifted, or unreadable where the file cannot be
	// understood.
	State string `json:"state" table:"HOOKS,word"`
	File  string `json:"file,omitempty" table:"SETTINGS"`
	// Problems say what differs from what would be installed.
	Problems []string `json:"faults" table:",dim,flex,join=;"`
	// Command is what the agent runs.
	Command string `json:"command,omitempty"`
}

// unreadable is the state of a plugin of which nothing can be said.
const unreadable = "unreadable"

var pluginStatus = registry.Define(registry.Spec[*Env, pluginStatusIn, pluginStatusOut]{
	Name: "plugin-status", Group: groupSetup, Short: "Show which agents have Cupola's hooks installed",
	Aliases: []string{"plugins", "plugin list", "plugins list", "plugin show"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "plugins",
	Examples: []string{"", "claude"},
	Errors:   []core.Code{core.AgentNotFound}, Run: runPluginStatus,
}).SeeAlso("doctor", "setup")

func runPluginStatus(_ context.Context, env *Env, in pluginStatusIn) (pluginStatusOut, error) {
	all, err := env.Plugins()
	if err != nil {
		return pluginStatusOut{}, err
	}
	if in.Agent != "" {
		p, err := pluginOf(env, in.Agent)
		if err != nil {
			return pluginStatusOut{}, err
		}
		all = []*plugin.Plugin{p}
	}
	shown, page := cut(all, in.Page)
	out := pluginStatusOut{Filters: in.pluginFilter, Plugins: make([]pluginRow, 0, len(shown)), paged: page}
	for _, p := range shown {
		row := pluginRow{Agent: string(p.Kind), File: p.File, Command: p.Command}
		status, err := p.Status()
		row.State, row.Problems = string(status.State), sortedProblems(status)
		if err != nil {
			row.State, row.Problems = unreadable, []string{err.Error()}
		}
		out.Plugins = append(out.Plugins, row)
	}
	return out, nil
}

func (o pluginStatusOut) Next() []registry.Action {
	var next []registry.Action
	for _, row := range o.Plugins {
		if row.State == string(plugin.Drifted) {
			next = append(next, registry.Action{
				Action: "repair", Description: "Install the hooks of " + row.Agent + " again",
				Command: "cupola plugin-install " + row.Agent + " --yes",
			})
		}
	}
	return next
}

package plugins

import (
	"context"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// pluginFilter chooses an agent kind.
type pluginFilter struct {
	Agent string `json:"agent,omitempty" arg:"1" help:"Agent kind (default: every kind)"`
}

type pluginStatusIn struct {
	pluginFilter
	registry.Page `default:"limit=100"`
}

type pluginStatusOut struct {
	Filters pluginFilter `json:"filters,omitzero"`
	// Plugins has one row per agent kind.
	Plugins []pluginRow `json:"plugins" empty:"No agent kind can have hooks or skills."`
	verb.Paged
}

// pluginRow describes the installation into one agent kind.
type pluginRow struct {
	_     struct{} `minimal:"agent,state,skills,mcp" standard:"agent,state,skills,mcp,file,skills_folder,mcp_file,faults"`
	_     struct{} `table:"AGENT,HOOKS,SKILLS,MCP,SETTINGS,"`
	Agent string   `json:"agent" table:"AGENT"`
	// State is the state of the hooks: absent, installed, drifted, or unreadable where the file cannot be understood.
	// It is absent where the kind takes no hooks.
	State string `json:"state,omitempty" table:"HOOKS,word"`
	File  string `json:"file,omitempty" table:"SETTINGS"`
	// Skills is the same of skills and slash commands, and SkillsFolder where they are.
	Skills       string `json:"skills,omitempty" table:"SKILLS,word"`
	SkillsFolder string `json:"skills_folder,omitempty"`
	// MCP is the same of the entry among its MCP servers, and MCPFile where that is.
	MCP     string `json:"mcp,omitempty" table:"MCP,word"`
	MCPFile string `json:"mcp_file,omitempty"`
	// Problems say what differs from what would be installed.
	Problems []string `json:"faults" table:",dim,flex,join=;"`
	// Command is the agent's program.
	Command string `json:"command,omitempty" names:"command-line"`
}

// unreadable is the state of a part whose files cannot be read.
const unreadable = "unreadable"

var pluginStatus = registry.Define(registry.Spec[*verb.Local, pluginStatusIn, pluginStatusOut]{
	Name: "plugin-status", Group: verb.GroupSetup, Short: "Show which agents have Cupola's hooks",
	Aliases: []string{"plugins", "plugin list", "plugins list", "plugin show"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "plugins",
	Examples: []string{"", "claude"},
	Errors:   []core.Code{core.AgentNotFound}, Run: runPluginStatus,
}).SeeAlso("doctor", "setup")

func runPluginStatus(_ context.Context, env *verb.Local, in pluginStatusIn) (pluginStatusOut, error) {
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
	shown, page := verb.Cut(all, in.Page)
	out := pluginStatusOut{Filters: in.pluginFilter, Plugins: make([]pluginRow, 0, len(shown)), Paged: page}
	for _, p := range shown {
		row := pluginRow{Agent: string(p.Kind), File: p.File, Command: p.Command, Problems: []string{}}
		if p.Supports(plugin.Hooks) {
			row.State = row.look(p, plugin.Hooks)
		}
		if p.Supports(plugin.Skills) {
			row.Skills, row.SkillsFolder = row.look(p, plugin.Skills), p.Path(plugin.Skills)
		}
		if p.Supports(plugin.MCP) {
			row.MCP, row.MCPFile = row.look(p, plugin.MCP), p.Path(plugin.MCP)
		}
		out.Plugins = append(out.Plugins, row)
	}
	return out, nil
}

// look returns the state of a part, and adds its problems to the row.
func (r *pluginRow) look(p *plugin.Plugin, part plugin.Part) string {
	status, err := p.StatusOf(part)
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
		return unreadable
	}
	r.Problems = append(r.Problems, SortedProblems(status)...)
	return string(status.State)
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
		if row.Skills == string(plugin.Drifted) {
			next = append(next, registry.Action{
				Action: "update", Description: "Write the stale skills of " + row.Agent + " again",
				Command: "cupola plugin-update " + row.Agent + " --yes",
			})
		}
	}
	return next
}

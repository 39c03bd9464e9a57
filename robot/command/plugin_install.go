package command

import (
	"context"

	"cupola/core/plugin"
	"cupola/core/report"
	"cupola/robot/registry"
)

var pluginInstall = registry.Define(registry.Spec[pluginChangeIn, pluginChangeOut]{
	Name: "plugin-install", Group: groupSetup, Short: "Install Cupola's hooks into an agent's settings",
	Long: "With hooks, an agent reports at once what it is doing. They are merged into its settings and change " +
		"nothing else there;\n" +
		"installing them again repairs them. They cost the agent a few milliseconds at each event.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []pluginChangeIn{
		{Agent: "claude", Preview: registry.Preview{DryRun: true}},
		{Agent: "claude", Consent: registry.Consent{Yes: true}},
	},
	Errors: pluginErrors,
	Run: func(_ context.Context, deps *registry.Deps, in pluginChangeIn) (pluginChangeOut, error) {
		return changePlugin(deps, in, "plugin-install", "Install Cupola's hooks for %s into %s?",
			(*plugin.Plugin).Install)
	},
	Hints: pluginHints,
	Next: func(_ pluginChangeIn, out pluginChangeOut) []registry.Action {
		if !out.Changed {
			return nil
		}
		return []registry.Action{{
			Action: "undo", Description: "Take the hooks out again",
			Command: "cupola plugin-remove " + out.Agent + " --yes",
		}}
	},
	Human: func(_ pluginChangeIn, out pluginChangeOut) *report.Report {
		return pluginReport(out, "Installed hooks into ", "Would install hooks into ", "The hooks are installed in ")
	},
})

package command

import (
	"context"

	"cupola/core/plugin"
	"cupola/core/report"
	"cupola/robot/registry"
)

var pluginRemove = registry.Define(registry.Spec[pluginChangeIn, pluginChangeOut]{
	Name: "plugin-remove", Group: groupSetup, Short: "Remove Cupola's hooks from an agent's settings",
	Long:  "Removes exactly what was installed, without a trace.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []pluginChangeIn{
		{Agent: "claude", Preview: registry.Preview{DryRun: true}},
		{Agent: "claude", Consent: registry.Consent{Yes: true}},
	},
	Errors: pluginErrors,
	Run: func(_ context.Context, deps *registry.Deps, in pluginChangeIn) (pluginChangeOut, error) {
		return changePlugin(deps, in, "plugin-remove", "Take Cupola's hooks for %s out of %s?", (*plugin.Plugin).Remove)
	},
	Hints: pluginHints,
	Human: func(_ pluginChangeIn, out pluginChangeOut) *report.Report {
		return pluginReport(out, "Took the hooks out of ", "Would take the hooks out of ",
			"There are no hooks of Cupola in ")
	},
})

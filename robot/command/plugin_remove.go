package command

import (
	"cupola/core/plugin"
	"cupola/robot/registry"
)

var pluginRemove = registry.Define(registry.Spec[*Env, pluginChangeIn, pluginChangeOut]{
	Name: "plugin-remove", Group: groupSetup, Short: "Remove Cupola's hooks from an agent's settings",
	Long:  "Removes exactly what was installed, without a trace.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{"claude --dry-run", "claude --yes"},
	Errors:   pluginErrors,
	Run: pluginChange{
		verb: "plugin-remove", question: "Take Cupola's hooks for %s out of %s?",
		did: "Took the hooks out of ", would: "Would take the hooks out of ",
		nothing: "There are no hooks of Cupola in ", plan: (*plugin.Plugin).Remove,
	}.run,
})

package command

import (
	"cupola/core/plugin"
	"cupola/robot/registry"
)

var pluginInstall = registry.Define(registry.Spec[*Env, pluginChangeIn, pluginChangeOut]{
	Name: "plugin-install", Group: groupSetup, Short: "Install Cupola's hooks into an agent's settings",
	Long: "With hooks, an agent reports immediately what it is doing. They are merged into its settings and change " +
		"nothing else there;\n" +
		"installing them again repairs them. They cost the agent a few milliseconds at each event.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"claude --dry-run", "claude --yes"},
	Errors:   pluginErrors,
	Run: pluginChange{
		verb: "plugin-install", question: "Install Cupola's hooks for %s into %s?", undo: "plugin-remove",
		did: "Installed hooks into ", would: "Would install hooks into ", nothing: "The hooks are installed in ",
		plan: (*plugin.Plugin).Install,
	}.run,
})

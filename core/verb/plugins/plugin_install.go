package plugins

import (
	"context"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

var pluginInstall = registry.Define(registry.Spec[*verb.Local, pluginInstallIn, pluginChangeOut]{
	Name: "plugin-install", Aliases: []string{"install"}, Group: verb.GroupSetup,
	Short: "Install hooks and skills into an agent",
	Long: "With hooks, an agent reports immediately what it is doing. They are merged into its settings and change " +
		"nothing else there;\n" +
		"installing them again repairs them. They cost the agent a few milliseconds at each event. With skills, it " +
		"knows how to use Cupola and how to ask another agent; they are files of Cupola's own.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{"claude --dry-run", "claude --yes", "codex --with=hooks,skills --dry-run"},
	Errors:   pluginErrors,
	Run: func(_ context.Context, env *verb.Local, in pluginInstallIn) (pluginChangeOut, error) {
		parts := in.partsOf()
		p, err := pluginOf(env, in.Agent, parts...)
		if err != nil {
			return pluginChangeOut{}, err
		}
		if len(in.Confine) > 0 && !slices.Contains(parts, plugin.MCP) {
			return pluginChangeOut{}, &core.Error{
				Code: core.InvalidFlag, Message: "--confine is of the MCP server, and that is not installed here",
				Hint:    "Add mcp to --with.",
				Actions: []string{"cupola plugin-install " + in.Agent + " --with=mcp --dry-run"},
			}
		}
		if len(in.Confine) > 0 {
			plugin.StartServer(p, "--session="+strings.Join(in.Confine, ","))
		}
		return installing.run(env, p, parts, pluginRequest{in, in.Consent, in.Preview})
	},
}).SeeAlso("plugin-update", "plugin-status")

// installing is the change and the texts of plugin-install.
var installing = pluginChange{
	verb: "plugin-install", question: "Install Cupola's %s for %s into %s?", undo: "plugin-remove",
	did: "Installed %s into ", would: "Would install %s into ", nothing: "The %s are installed in ",
	plan: (*plugin.Plugin).InstallParts,
}

package plugins

import (
	"context"

	"cupola/core/agent/plugin"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

var pluginRemove = registry.Define(registry.Spec[*verb.Local, pluginRemoveIn, pluginChangeOut]{
	Name: "plugin-remove", Aliases: []string{"uninstall", "plugin uninstall"}, Group: verb.GroupSetup,
	Short: "Remove hooks and skills from an agent",
	Long: "Removes exactly what was installed, without a trace: all of it, or the parts that are named. Files that " +
		"you edited or added stay, and the answer names them.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{"claude --dry-run", "claude --yes"},
	Errors:   pluginErrors,
	Run: func(_ context.Context, env *verb.Local, in pluginRemoveIn) (pluginChangeOut, error) {
		parts := in.partsOf()
		p, err := pluginOf(env, in.Agent, parts...)
		if err != nil {
			return pluginChangeOut{}, err
		}
		if len(parts) == 0 {
			parts = installedParts(p)
		}
		return removing.run(env, p, parts, pluginRequest{in, in.Consent, in.Preview})
	},
})

// removing is the change and the texts of plugin-remove.
var removing = pluginChange{
	verb: "plugin-remove", question: "Take Cupola's %s for %s out of %s?",
	did: "Took the %s out of ", would: "Would take the %s out of ",
	nothing: "There are no %s of Cupola in ", plan: (*plugin.Plugin).RemoveParts,
}

// installedParts are the parts with files that are installed or cannot be read; the
// first part that the kind takes where there is none.
func installedParts(p *plugin.Plugin) []plugin.Part {
	var parts []plugin.Part
	for _, part := range p.Parts() {
		if status, err := p.StatusOf(part); err != nil || status.State != plugin.Absent {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return p.Parts()[:1]
	}
	return parts
}

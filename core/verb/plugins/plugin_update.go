package plugins

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type pluginUpdateIn struct {
	Agent string `arg:"1" switch:"claude,codex,gemini,opencode,qwen,copilot,github" help:"Agent kind (default: every kind)"`
	registry.Consent
	registry.Preview
}

type pluginUpdateOut struct {
	DryRun bool `json:"dry_run"`
	// Parts has one row per part that is installed.
	Parts []pluginPart `json:"parts" empty:"Nothing of Cupola is installed."`
	// Changed counts the files that were written or removed.
	Changed int `json:"changed_count"`
	// Files has one row per file that changed, or would, and one that stays though it is stale.
	Files []pluginFile `json:"files"`
	// Diff shows what changed, or would, in the files; absent if nothing did.
	Diff string `json:"diff,omitempty"`

	warnings []string
}

var pluginUpdate = registry.Define(registry.Spec[*verb.Local, pluginUpdateIn, pluginUpdateOut]{
	Name: "plugin-update", Aliases: []string{"update"}, Group: verb.GroupSetup, Short: "Update stale hooks and skills",
	Long: "What is installed goes stale with a new version of Cupola, or if it was moved; plugin-status says what. " +
		"Nothing is installed that was not, and files that you edited stay.",
	Scope: registry.Resource, Effect: registry.Destroys, List: "parts",
	Examples: []string{"--dry-run", "claude --yes"},
	Errors:   pluginErrors, Run: runPluginUpdate,
}).SeeAlso("plugin-status")

// staleParts are the parts of a plugin that must be written again.
type staleParts struct {
	plugin *plugin.Plugin
	// first is the index of its first part in the answer.
	first, count int
}

func runPluginUpdate(_ context.Context, env *verb.Local, in pluginUpdateIn) (pluginUpdateOut, error) {
	all, err := env.Plugins()
	if err != nil {
		return pluginUpdateOut{}, err
	}
	if in.Agent != "" {
		p, err := pluginOf(env, in.Agent)
		if err != nil {
			return pluginUpdateOut{}, err
		}
		all = []*plugin.Plugin{p}
	}
	out := pluginUpdateOut{DryRun: in.DryRun}
	var stale []staleParts
	change := &plugin.Change{}
	for _, p := range all {
		first := len(out.Parts)
		found, err := out.plan(p)
		if err != nil {
			if in.Agent != "" {
				return pluginUpdateOut{}, err
			}
			out.warnings = append(out.warnings, core.AsError(err).Error())
			continue
		}
		stale = append(stale, staleParts{p, first, len(out.Parts) - first})
		change.Files, change.Kept = append(change.Files, found.Files...), append(change.Kept, found.Kept...)
	}
	out.Files, out.Diff = pluginFilesOf(change), change.Diff()
	out.warnings = append(out.warnings, keptWarnings(out.Files)...)
	if in.DryRun || !change.Changes() {
		return out, nil
	}
	may := verb.Permission{Verb: "plugin-update", In: in, Given: in.Given(), Shows: shownOf(change)}
	question := "Write again what is stale of Cupola in " + strings.Join(out.agents(), ", ") + "?"
	if err := may.Ask(env.Who(), question); err != nil {
		return pluginUpdateOut{}, err
	}
	if err := change.Apply(); err != nil {
		return pluginUpdateOut{}, err
	}
	out.Changed = len(change.Files)
	for _, s := range stale {
		for i := s.first; i < s.first+s.count; i++ {
			status, err := s.plugin.StatusOf(out.Parts[i].Part)
			if err != nil {
				return out, err
			}
			out.Parts[i].State = string(status.State)
		}
	}
	return out, nil
}

// plan adds the parts of a plugin that are installed, and returns the change of those that are
// stale.
func (o *pluginUpdateOut) plan(p *plugin.Plugin) (*plugin.Change, error) {
	var rows []pluginPart
	var stale []plugin.Part
	for _, part := range p.Parts() {
		status, err := p.StatusOf(part)
		if err != nil {
			return nil, err
		}
		if status.State == plugin.Absent {
			continue
		}
		if status.State == plugin.Drifted {
			stale = append(stale, part)
		}
		rows = append(rows, pluginPart{
			Agent: string(p.Kind), Part: part, Place: p.Path(part),
			Before: string(status.State), State: string(status.State),
		})
	}
	change, err := p.InstallParts(stale...)
	if err == nil {
		o.Parts = append(o.Parts, rows...)
	}
	return change, err
}

// agents are the kinds with something stale.
func (o *pluginUpdateOut) agents() []string {
	var names []string
	for _, part := range o.Parts {
		if part.Before == string(plugin.Drifted) && (len(names) == 0 || names[len(names)-1] != part.Agent) {
			names = append(names, part.Agent)
		}
	}
	return names
}

func (o pluginUpdateOut) Hints() *registry.Hints { return &registry.Hints{Warnings: o.warnings} }

// Report shows the parts, the files that stay and, where nothing was done, what would be.
func (o pluginUpdateOut) Report() *report.Report {
	r := report.TableOf(o.Parts, time.Time{}, "Nothing of Cupola is installed.").Report()
	lines := fileLines(o.Files, o.DryRun)
	if o.DryRun {
		lines = append(lines, verb.CodeLines(o.Diff)...)
	}
	if len(lines) > 0 {
		r.Add(report.Block{Lines: lines})
	}
	return r
}

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/plugin"
	"cupola/core/report"
	"cupola/core/textfile"
	"cupola/robot/registry"
	"cupola/robot/suggest"
)

// pluginChangeIn is what installing and removing take.
type pluginChangeIn struct {
	Agent string `arg:"1" required:"true" help:"Agent kind: claude or cc, codex or cod, gemini or gmi, opencode or oc, qwen"`
	registry.Consent
	registry.Preview
}

// pluginChangeOut is what became of an agent's settings.
type pluginChangeOut struct {
	Agent string `json:"agent"`
	File  string `json:"file,omitempty"`
	// Before and State are absent, installed or drifted.
	Before  string `json:"before"`
	State   string `json:"state"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run"`
	// Diff shows what changed, or would, in the file; absent if nothing did.
	Diff string `json:"diff,omitempty"`

	change pluginChange
	note   string
}

// pluginChange is what a verb does to an agent's settings, and says of it.
type pluginChange struct {
	verb, question      string
	did, would, nothing string
	// undo is the verb that undoes it; empty if none does.
	undo string
	plan func(*plugin.Plugin) (*textfile.Change, error)
}

// pluginErrors are the codes with which plugins fail.
var pluginErrors = []core.Code{
	core.AgentNotFound, core.DecodeFailed, core.IOError, core.PermissionDenied,
	core.Conflict,
}

// pluginOf finds the plugin of an agent kind.
func pluginOf(env *Env, name string) (*plugin.Plugin, error) {
	all, err := env.Plugins()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range all {
		if string(p.Kind) == name || p.Short == name {
			return p, nil
		}
		names = append(names, string(p.Kind))
	}
	return nil, suggest.Near(&core.Error{
		Code: core.AgentNotFound, Message: fmt.Sprintf("no hooks can be installed into %q", name),
		Hint: "Hooks can be installed into " + strings.Join(names, ", ") + ".",
	}, name, names)
}

// run plans the change, asks for consent and makes it.
func (c pluginChange) run(_ context.Context, env *Env, in pluginChangeIn) (pluginChangeOut, error) {
	p, err := pluginOf(env, in.Agent)
	if err != nil {
		return pluginChangeOut{}, err
	}
	before, err := p.Status()
	if err != nil {
		return pluginChangeOut{}, err
	}
	change, err := c.plan(p)
	if err != nil {
		return pluginChangeOut{}, err
	}
	out := pluginChangeOut{
		Agent: string(p.Kind), File: p.File, Before: string(before.State), State: string(before.State),
		DryRun: in.DryRun, Changed: change.Changes() && !in.DryRun, Diff: change.Diff(),
		change: c,
	}
	if in.DryRun || !change.Changes() {
		return out, nil
	}
	may := permission{verb: c.verb, in: in, given: in.Given(), shows: out.Diff}
	if err := may.ask(env, fmt.Sprintf(c.question, p.Name, p.File)); err != nil {
		return pluginChangeOut{}, err
	}
	if err := change.Apply(); err != nil {
		return pluginChangeOut{}, err
	}
	after, err := p.Status()
	out.State = string(after.State)
	if after.State == plugin.Installed {
		out.note = p.Note
	}
	return out, err
}

// Next suggests how to undo the change.
func (o pluginChangeOut) Next() []registry.Action {
	if !o.Changed || o.change.undo == "" {
		return nil
	}
	return []registry.Action{nextAction("undo", "Take the hooks out again", o.change.undo, o.Agent, "--yes")}
}

// Report says in one line what was done, and shows the diff of what would be.
func (o pluginChangeOut) Report() *report.Report {
	r := changeReport(o.change.did, o.change.would, o.change.nothing, o.File, o.Diff, o.DryRun)
	if o.note != "" {
		r.Blocks[0].Lines = append(r.Blocks[0].Lines, report.Line{report.Toned(report.Dim, o.note)})
	}
	return r
}

// codeLines are the lines of a text that is shown as it is.
func codeLines(text string) []report.Line {
	var lines []report.Line
	for line := range strings.Lines(text) {
		lines = append(lines, report.Line{report.Toned(report.Code, strings.TrimSuffix(line, "\n"))})
	}
	return lines
}

func (o pluginChangeOut) Hints() *registry.Hints {
	return &registry.Hints{Summary: o.note}
}

// sortedProblems are a status's problems in a fixed order, never nil.
func sortedProblems(status plugin.Status) []string {
	problems := append([]string{}, status.Problems...)
	slices.Sort(problems)
	return problems
}

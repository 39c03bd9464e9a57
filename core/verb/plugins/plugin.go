package plugins

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// pluginParts selects what is installed into agents.
type pluginParts struct {
	With []string `enum:"hooks,skills,mcp" help:"Which parts, separated by commas: hooks report what the agent does, skills (with slash commands) teach it to use Cupola, mcp gives it the tools of 'cupola mcp'"`
}

// pluginInstallIn installs the hooks alone where no part is named.
type pluginInstallIn struct {
	Agent       string `arg:"1" required:"true" switch:"claude,codex,gemini,opencode,qwen,copilot,github" help:"Agent kind: claude or cc, codex or cod, gemini or gmi, opencode or oc, qwen; copilot or cop for skills alone"`
	pluginParts `default:"with=hooks"`
	Confine     []string `help:"With mcp: it sees and acts on these sessions alone"`
	registry.Consent
	registry.Preview
}

// pluginRemoveIn removes what is installed where no part is named.
type pluginRemoveIn struct {
	Agent string `arg:"1" required:"true" switch:"claude,codex,gemini,opencode,qwen,copilot,github" help:"Agent kind, by its name or its short name"`
	pluginParts
	registry.Consent
	registry.Preview
}

// pluginRequest is the input of either.
type pluginRequest struct {
	in any
	registry.Consent
	registry.Preview
}

// pluginChangeOut is the outcome of an agent's settings and skills.
type pluginChangeOut struct {
	Agent string `json:"agent"`
	// File is the settings file, or the folder of skills if only they were selected.
	File string `json:"file,omitempty"`
	// Before and State are absent, installed or drifted; drifted too where parts differ.
	Before  string `json:"before"`
	State   string `json:"state"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run"`
	// Diff shows what changed, or would, in the files; absent if nothing did.
	Diff string `json:"diff,omitempty"`
	// Parts has one row per selected part.
	Parts []pluginPart `json:"parts"`
	// Files has one row per file that changed, or would, and one that stays though it belongs to a part.
	Files []pluginFile `json:"files"`

	change pluginChange
	notes  []string
}

// pluginPart is the outcome of a part in one agent kind.
type pluginPart struct {
	_      struct{}    `minimal:"agent,part,state" standard:"agent,part,place,before,state"`
	_      struct{}    `table:"AGENT,PART,STATE,BEFORE,PLACE"`
	Agent  string      `json:"agent" table:"AGENT"`
	Part   plugin.Part `json:"part" table:"PART"`
	Place  string      `json:"place" table:"PLACE"`
	Before string      `json:"before" table:"BEFORE,word"`
	State  string      `json:"state" table:"STATE,word"`
}

// pluginFile is the outcome of one file.
type pluginFile struct {
	_    struct{}    `minimal:"file,action" standard:"part,file,action,bytes,why"`
	Part plugin.Part `json:"part"`
	File string      `json:"file"`
	// Action is make, replace, remove or keep.
	Action string `json:"action"`
	// Bytes is how large it is, or would be.
	Bytes int `json:"bytes"`
	// Why is the reason why it stays; absent where it does not.
	Why string `json:"why,omitempty"`
}

// The outcomes of files.
const (
	fileMade     = "make"
	fileReplaced = "replace"
	fileRemoved  = "remove"
	fileKept     = "keep"
)

// pluginChange is a verb's change of an agent's settings and skills, and its texts. The texts name the parts and, of
// a question, the agent and the places.
type pluginChange struct {
	verb, question      string
	did, would, nothing string
	// undo is the verb that undoes it; empty if none does.
	undo string
	plan func(*plugin.Plugin, ...plugin.Part) (*plugin.Change, error)
}

// pluginErrors are the error codes of plugins.
var pluginErrors = []core.Code{
	core.AgentNotFound, core.DecodeFailed, core.IOError, core.PermissionDenied,
	core.Conflict,
}

// fromGitHub is the source that others install their parts from.
const fromGitHub = "github"

// pluginOf finds the plugin of an agent kind that takes parts.
func pluginOf(env *verb.Local, name string, parts ...plugin.Part) (*plugin.Plugin, error) {
	all, err := env.Plugins()
	if err != nil {
		return nil, err
	}
	if name == fromGitHub {
		return nil, &core.Error{
			Code: core.InvalidInput, Message: "what Cupola installs into agents is in the program, not on GitHub",
			Hint:    "It fits this version of the program, and is installed offline.",
			Actions: []string{"cupola plugin-install claude"},
		}
	}
	missing := func(part plugin.Part) *core.Error {
		var names []string
		for _, p := range all {
			if p.Supports(part) {
				names = append(names, string(p.Kind))
			}
		}
		return suggest.Near(&core.Error{
			Code: core.AgentNotFound, Message: fmt.Sprintf("no %s can be installed into %q", part, name),
			Hint: strings.ToUpper(string(part[:1])) + string(part[1:]) + " can be installed into " +
				strings.Join(names, ", ") + ".",
		}, name, names)
	}
	for _, p := range all {
		if string(p.Kind) != name && p.Short != name {
			continue
		}
		for _, part := range parts {
			if !p.Supports(part) {
				e := missing(part)
				e.Hint = p.Name + " takes " + wordsOf(p.Parts()) + ". " + e.Hint
				return nil, e
			}
		}
		return p, nil
	}
	return nil, missing(append(parts, plugin.Hooks)[0])
}

// wordsOf names parts.
func wordsOf(parts []plugin.Part) string {
	return core.Join(parts, " and ")
}

// partsOf are the parts of a selection in the order in which they are installed.
func (in pluginParts) partsOf() []plugin.Part {
	parts := []plugin.Part{}
	for _, part := range plugin.AllParts() {
		if slices.Contains(in.With, string(part)) {
			parts = append(parts, part)
		}
	}
	return parts
}

// run plans the change, asks for consent and makes it.
func (c pluginChange) run(
	env *verb.Local,
	p *plugin.Plugin,
	parts []plugin.Part,
	in pluginRequest,
) (pluginChangeOut, error) {
	out := pluginChangeOut{Agent: string(p.Kind), DryRun: in.DryRun, change: c, Files: []pluginFile{}}
	for _, part := range parts {
		status, err := p.StatusOf(part)
		if err != nil {
			return pluginChangeOut{}, err
		}
		before := string(status.State)
		out.Parts = append(out.Parts, pluginPart{
			Agent: out.Agent, Part: part, Place: p.Path(part), Before: before, State: before,
		})
	}
	change, err := c.plan(p, parts...)
	if err != nil {
		return pluginChangeOut{}, err
	}
	out.Changed, out.Diff, out.Files = change.Changes() && !in.DryRun, change.Diff(), pluginFilesOf(change)
	out.sum()
	if in.DryRun || !change.Changes() {
		return out, nil
	}
	may := verb.Permission{Verb: c.verb, In: in.in, Given: in.Given(), Shows: shownOf(change)}
	if err := may.Ask(env.Who(), fmt.Sprintf(c.question, wordsOf(parts), p.Name, placesOf(out.Parts))); err != nil {
		return pluginChangeOut{}, err
	}
	if err := change.Apply(); err != nil {
		return pluginChangeOut{}, err
	}
	for i, part := range parts {
		after, err := p.StatusOf(part)
		if err != nil {
			return out, err
		}
		out.Parts[i].State = string(after.State)
		if note := p.NoteOf(part); after.State == plugin.Installed && note != "" {
			out.notes = append(out.notes, note)
		}
	}
	out.sum()
	return out, nil
}

// sum puts together what is known of the parts.
func (o *pluginChangeOut) sum() {
	o.File, o.Before, o.State = o.Parts[0].Place, o.Parts[0].Before, o.Parts[0].State
	for _, part := range o.Parts[1:] {
		if part.Before != o.Before {
			o.Before = string(plugin.Drifted)
		}
		if part.State != o.State {
			o.State = string(plugin.Drifted)
		}
	}
}

func placesOf(parts []pluginPart) string {
	places := core.Map(parts, func(part pluginPart) string { return part.Place })
	return strings.Join(places, " and ")
}

// pluginFilesOf are the files of a change, those that stay last.
func pluginFilesOf(change *plugin.Change) []pluginFile {
	files := []pluginFile{}
	for _, file := range change.Files {
		row := pluginFile{Part: file.Part, File: file.File, Action: fileReplaced, Bytes: len(file.After)}
		switch {
		case file.Before == nil:
			row.Action = fileMade
		case file.After == nil:
			row.Action, row.Bytes = fileRemoved, len(file.Before)
		}
		files = append(files, row)
	}
	for _, kept := range change.Kept {
		files = append(files, pluginFile{Part: kept.Part, File: kept.File, Action: fileKept, Why: kept.Why})
	}
	return files
}

// shownOf is the text before the question: what would change in settings, and which files of Cupola's own.
func shownOf(change *plugin.Change) string {
	var b strings.Builder
	for _, file := range change.Files {
		if file.Part != plugin.Skills {
			b.WriteString(file.Diff())
		}
	}
	for _, row := range pluginFilesOf(change) {
		if row.Part == plugin.Skills {
			b.WriteString(row.String() + "\n")
		}
	}
	return b.String()
}

// String is the row as a line of text.
func (f pluginFile) String() string {
	if f.Action == fileKept {
		return fmt.Sprintf("%-7s %s: %s", f.Action, f.File, f.Why)
	}
	return fmt.Sprintf("%-7s %s (%d bytes)", f.Action, f.File, f.Bytes)
}

// Next suggests how to undo the change.
func (o pluginChangeOut) Next() []registry.Action {
	if !o.Changed || o.change.undo == "" {
		return nil
	}
	parts, flag := make([]plugin.Part, len(o.Parts)), "--with="
	for i, part := range o.Parts {
		parts[i], flag = part.Part, flag+strings.Repeat(",", min(i, 1))+string(part.Part)
	}
	return verb.NextOnly("undo", "Take the "+wordsOf(parts)+" out again", o.change.undo, o.Agent, flag, "--yes")
}

// Report says in a line a part what was done, and shows what would be.
func (o pluginChangeOut) Report() *report.Report {
	var lines []report.Line
	for _, part := range o.Parts {
		changes := slices.ContainsFunc(o.Files, func(f pluginFile) bool {
			return f.Part == part.Part && f.Action != fileKept
		})
		tone, text := report.Good, o.change.did
		switch {
		case !changes:
			tone, text = report.Plain, o.change.nothing
		case o.DryRun:
			tone, text = report.Warn, o.change.would
		}
		lines = append(lines, report.Line{report.Toned(tone, fmt.Sprintf(text, part.Part)), report.Text(part.Place)})
	}
	lines = append(lines, fileLines(o.Files, o.DryRun)...)
	if o.DryRun {
		lines = append(lines, verb.CodeLines(o.Diff)...)
	}
	for _, note := range o.notes {
		lines = append(lines, report.Line{report.Toned(report.Dim, note)})
	}
	return (&report.Report{}).Add(report.Block{Lines: lines})
}

// fileLines are the files of Cupola's own where all are shown, and those that stay.
func fileLines(files []pluginFile, all bool) []report.Line {
	var lines []report.Line
	for _, file := range files {
		switch {
		case file.Action == fileKept:
			lines = append(lines, report.Line{report.Toned(report.Warn, file.String())})
		case all && file.Part == plugin.Skills:
			lines = append(lines, report.Line{report.Text(file.String())})
		}
	}
	return lines
}

func (o pluginChangeOut) Hints() *registry.Hints {
	return &registry.Hints{Summary: strings.Join(o.notes, " "), Warnings: keptWarnings(o.Files)}
}

// keptWarnings say which files stay.
func keptWarnings(files []pluginFile) []string {
	var warnings []string
	for _, file := range files {
		if file.Action == fileKept {
			warnings = append(warnings, file.File+" stays: "+file.Why)
		}
	}
	return warnings
}

// SortedProblems are a status's problems in a fixed order, never nil.
func SortedProblems(status plugin.Status) []string {
	problems := append([]string{}, status.Problems...)
	slices.Sort(problems)
	return problems
}

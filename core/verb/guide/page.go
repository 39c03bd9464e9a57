package guide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// SchemaVersion is the version of the answers' shapes. Within a major version
// fields are only added.
const SchemaVersion = "2.0.0"

// Page writes the document as Markdown, as far as it is there.
func Page(doc Document) string {
	p := &page{}
	p.line("# Robot mode")
	p.line("")
	p.line("%s", doc.Description)
	p.guide(doc)
	p.verbs(doc)
	if len(doc.Globals) > 0 {
		p.section("Global flags")
		p.flags(nil, doc.Globals)
	}
	if len(doc.ErrorCodes) > 0 {
		p.section("Error codes")
		p.line("| Code | Meaning | Exit | Detailed |\n|---|---|---|---|")
		for _, row := range doc.ErrorCodes {
			p.line("| `%s` | %s | %d | %d |", row.Code, row.Meaning, row.Exit, row.Detailed)
		}
	}
	p.topics("Other names of the same conditions", doc.ParseCodes)
	p.aliases(doc.Aliases)
	p.deprecations(doc.Deprecations)
	p.more(doc.Sections)
	return p.String()
}

// Explain writes what is known of some verbs as Markdown.
func Explain(verbs map[string]Verb) string {
	p := &page{}
	p.each(verbs)
	return p.String()
}

type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) section(title string) { p.line("\n## %s\n", title) }

func (p *page) guide(doc Document) {
	if len(doc.Start) > 0 {
		p.section("Start here")
	}
	for _, sentence := range doc.Start {
		p.line("- %s", sentence)
	}
	p.calls(doc.Daily)
	p.topics("Verbs that report states", doc.StateVerbs)
	p.topics("Agent kinds", doc.Kinds)
	p.topics("Words", doc.Words)
	p.topics("The answer", doc.Envelope)
	if len(doc.Workflows) > 0 {
		p.section("Workflows")
	}
	for _, flow := range doc.Workflows {
		p.line("**%s**\n\n    %s\n", flow.Name, strings.Join(flow.lines(), "\n    "))
	}
	p.topics("Activation", doc.Activation)
	p.topics("Formats, columns and filters", doc.Formatting)
	p.topics("Exit status", doc.ExitCodes)
	p.topics("Environment", doc.Environment)
}

// calls writes the daily calls, each with its answer and its failure.
func (p *page) calls(calls []Call) {
	if len(calls) == 0 {
		return
	}
	p.section("Daily verbs")
	p.line("Each with an answer and a failure, shortened.\n")
	for _, call := range calls {
		p.line("    # %s\n    %s\n    %s\n    %s\n", call.Purpose, call.Command, call.Answer, call.Failure)
	}
}

// lines are the steps as lines of a shell, each below what it is for.
func (w Workflow) lines() []string {
	lines := make([]string, 0, 2*len(w.Steps))
	for _, step := range w.Steps {
		lines = append(lines, "# "+step.Purpose, step.Command)
	}
	return lines
}

// more says how to get the sections of the document.
func (p *page) more(sections []Section) {
	if len(sections) == 0 {
		return
	}
	p.section("Sections")
	p.line("| Command | What it shows | Bytes as JSON |\n|---|---|---|")
	for _, section := range sections {
		p.line("| `%s` | %s | %d |", section.Command, cell(section.Description), section.Bytes)
	}
}

func (p *page) topics(title string, topics []Topic) {
	if len(topics) == 0 {
		return
	}
	p.section(title)
	p.line("| | |\n|---|---|")
	for _, topic := range topics {
		p.line("| `%s` | %s |", topic.Name, cell(topic.Text))
	}
}

func (p *page) verbs(doc Document) {
	if len(doc.Commands) == 0 {
		return
	}
	p.section("Verbs")
	p.each(doc.Commands)
}

func (p *page) each(verbs map[string]Verb) {
	for _, name := range slices.Sorted(maps.Keys(verbs)) {
		p.verb(name, verbs[name])
	}
}

func (p *page) verb(name string, v Verb) {
	p.line("### %s\n", name)
	p.line("%s\n", strings.TrimSpace(v.Description+". "+v.Details))
	p.line("    %s\n    cupola %s\n", v.Usage, v.Robot)
	level := ""
	if v.Level != "" {
		level = ", and needs the level " + v.Level
	}
	p.line("It %s%s. Formats: %s. Schema: `cupola schema %s`.\n", v.Effect, level,
		strings.Join(v.Formats, ", "), v.SchemaType)
	p.line("    %s\n", strings.Join(v.Examples, "\n    "))
	p.flags(positional(v), v.FlagDetails)
	if len(v.Fields) > 0 {
		p.line("\n`--fields`: %s.", strings.Join(v.Fields, ", "))
	}
	if len(v.SeeAlso) > 0 {
		p.line("\nSee also: %s.", strings.Join(v.SeeAlso, ", "))
	}
	p.line("\nErrors: %s.\n", core.Join(v.Errors, ", "))
}

// flags writes a table of what is positional and what is behind its
// name. What can do both is shown by its name.
func (p *page) flags(arguments, flags []Flag) {
	if len(arguments)+len(flags) == 0 {
		return
	}
	p.line("| Name | Type | Scope | Meaning |\n|---|---|---|---|")
	for _, argument := range arguments {
		p.line("| `%s` | %s | | %s |", strings.ToUpper(argument.Name), argument.Type, cell(meaning(argument)))
	}
	for _, flag := range flags {
		name := "--" + flag.Name
		if flag.Short != "" {
			name += ", -" + flag.Short
		}
		p.line("| `%s` | %s | %s | %s |", name, flag.Type, flag.Scope, cell(meaning(flag)))
	}
}

func meaning(flag Flag) string {
	text := flag.Description
	if len(flag.Values) > 0 {
		text += " (" + strings.Join(flag.Values, ", ") + ")"
	}
	if flag.Default != "" {
		text += "; default " + flag.Default
	}
	if flag.Required {
		text += "; required"
	}
	return text
}

// positional are the arguments that have no flag.
func positional(v Verb) []Flag {
	return slices.DeleteFunc(slices.Clone(v.Arguments), func(argument Flag) bool {
		return slices.ContainsFunc(v.FlagDetails, func(flag Flag) bool { return flag.Name == argument.Name })
	})
}

func (p *page) aliases(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.section("Aliases")
	p.line("Other names of verbs. Each is called and answers as a verb; `cupola capabilities NAME` explains it.\n")
	p.line("| Name | Meaning |\n|---|---|")
	for _, line := range lines {
		name, of, _ := strings.Cut(line, ": ")
		p.line("| `%s` | `cupola %s` |", name, of)
	}
}

func (p *page) deprecations(rows []Deprecation) {
	if len(rows) == 0 {
		return
	}
	p.section("Deprecated flags")
	p.line("%s\n", deprecatedFor)
	p.line("| Verb | Deprecated | Use |\n|---|---|---|")
	for _, row := range rows {
		p.line("| %s | `%s` | `%s` |", row.Verb, row.Deprecated, row.Use)
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

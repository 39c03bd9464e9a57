package command

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/guide"
	"cupola/robot/registry"
)

type capabilitiesIn struct {
	registry.Detail
}

type capabilitiesOut struct {
	Version string `json:"version"`
	// Commands are the verbs that exist, by name.
	Commands map[string]guide.Verb `json:"commands"`
	// GlobalFlags are taken by every verb.
	GlobalFlags []guide.Flag `json:"global_flags"`
	// Planned are verbs that answer NOT_IMPLEMENTED.
	Planned []string `json:"planned"`
	// The rest is there only with --verbose: what stands under the same names in
	// docs.
	Activation   []guide.Topic       `json:"activation,omitempty"`
	Workflows    []guide.Workflow    `json:"workflows,omitempty"`
	ErrorCodes   []core.CodeRow      `json:"error_codes,omitempty"`
	ExitCodes    []guide.Topic       `json:"exit_codes,omitempty"`
	ParseCodes   []guide.Topic       `json:"parse_codes,omitempty"`
	Deprecations []guide.Deprecation `json:"deprecations,omitempty"`

	groups []string
	verbs  []*registry.Verb
}

var capabilities = registry.Define(registry.Spec[capabilitiesIn, capabilitiesOut]{
	Name: "capabilities", Group: groupLearn, Short: "List the verbs, what each does and takes",
	Long: "Short by default; --verbose adds all there is to know of each: arguments, flags with their scope, examples, errors and the schema " +
		"of the answer; and exit codes, deprecated flags, workflows, and what turns robot mode on.",
	Scope: registry.Global, Effect: registry.Reads, Examples: []capabilitiesIn{{}, {registry.Detail{Verbose: true}}},
	Run: runCapabilities, Human: capabilitiesReport,
})

func runCapabilities(_ context.Context, deps *registry.Deps, in capabilitiesIn) (capabilitiesOut, error) {
	out := capabilitiesOut{Version: deps.Version, Commands: map[string]guide.Verb{}, GlobalFlags: guide.Globals(), Planned: []string{}}
	for _, verb := range deps.Catalog.Verbs {
		out.Commands[verb.Name] = guide.Describe(deps.Catalog, verb, false)
	}
	for _, plan := range deps.Catalog.Planned {
		out.Planned = append(out.Planned, plan.Name)
	}
	out.verbs, out.groups = deps.Catalog.Verbs, deps.Catalog.Groups()
	if !in.Verbose {
		return out, nil
	}
	doc, err := guide.Write(deps.Catalog, true)
	if err != nil {
		return out, err
	}
	out.Commands, out.Activation, out.Workflows, out.Deprecations = doc.Commands, doc.Activation, doc.Workflows, doc.Deprecations
	out.ErrorCodes, out.ExitCodes, out.ParseCodes = doc.ErrorCodes, doc.ExitCodes, doc.ParseCodes
	return out, nil
}

func capabilitiesReport(_ capabilitiesIn, out capabilitiesOut) *report.Report {
	r := &report.Report{}
	for _, group := range out.groups {
		table := &report.Table{Columns: report.Columns("", "", "")}
		for _, verb := range out.verbs {
			if verb.Group == group {
				table.Rows = append(table.Rows, []report.Cell{report.Toned(report.Strong, verb.Name), report.Text(verb.Short), report.Toned(report.Dim, string(verb.Effect))})
			}
		}
		r.Add(report.Block{Heading: group, Table: table})
	}
	r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Dim, fmt.Sprintf("%s planned; see cupola docs", plural(len(out.Planned), "verb")))}}})
	return r
}

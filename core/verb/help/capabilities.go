package help

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

type capabilitiesIn struct {
	Verbs []string `arg:"rest" names:"verb" help:"Verbs to explain, or a common prefix such as config (default: list all verbs)"`
	registry.Detail
}

type capabilitiesOut struct {
	Version string `json:"version"`
	// Commands are the verbs that exist, by name.
	Commands map[string]guide.Verb `json:"commands"`
	// Aliases are other names of verbs, with the command that each stands for; absent where verbs were named.
	Aliases map[string]string `json:"aliases,omitempty"`
	// GlobalFlags are taken by every verb; only with --verbose.
	GlobalFlags []guide.Flag `json:"global_flags,omitempty"`
	// Planned are verbs that answer NOT_IMPLEMENTED.
	Planned []string `json:"planned"`
	// The rest is there only with --verbose: what is under the same names in
	// docs.
	Activation   []guide.Topic       `json:"activation,omitempty"`
	Workflows    []guide.Workflow    `json:"workflows,omitempty"`
	ErrorCodes   []advice.CodeRow    `json:"error_codes,omitempty"`
	ExitCodes    []guide.Topic       `json:"exit_codes,omitempty"`
	ParseCodes   []guide.Topic       `json:"parse_codes,omitempty"`
	Deprecations []guide.Deprecation `json:"deprecations,omitempty"`
	// EnvelopeSchema is that of what all answers have in common, which the verbs'
	// own response_schema leaves out.
	EnvelopeSchema any `json:"envelope_schema,omitempty"`

	groups    []string
	verbs     []*registry.Verb
	explained bool
}

var capabilities = registry.Define(registry.Spec[*verb.Local, capabilitiesIn, capabilitiesOut]{
	Name: "capabilities", Group: verb.GroupLearn, Short: "List the verbs, or explain some of them",
	Long: "Without names it lists all verbs in a line each; with names it explains those verbs: arguments, flags, " +
		"examples and errors. --verbose adds the schema of each answer; without names it explains everything, " +
		"including global flags, exit codes, deprecated flags and workflows.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true,
	Examples: []string{"", "spawn send", "--verbose"},
	Run:      runCapabilities,
}).SeeAlso("docs", "status")

func runCapabilities(_ context.Context, env *verb.Local, in capabilitiesIn) (capabilitiesOut, error) {
	verbs, err := verbsNamed(env.Catalog, in.Verbs)
	if err != nil {
		return capabilitiesOut{}, err
	}
	out := capabilitiesOut{Version: env.Version, Commands: map[string]guide.Verb{}}
	out.verbs, out.explained, out.groups = verbs, len(in.Verbs) > 0, env.Catalog.Groups()
	for _, verb := range verbs {
		described := guide.Describe(env.Catalog, verb, out.explained || in.Verbose)
		if in.Verbose {
			if described.ResponseSchema, err = guide.OwnSchema(verb.Schema); err != nil {
				return out, err
			}
		}
		out.Commands[verb.Name] = described
	}
	if !out.explained {
		out.Aliases = map[string]string{}
		for _, alias := range guide.Aliases(env.Catalog) {
			out.Aliases[alias.Name] = alias.Of
		}
	}
	for _, plan := range env.Catalog.Planned {
		out.Planned = append(out.Planned, plan.Name)
	}
	if !in.Verbose {
		return out, nil
	}
	if out.EnvelopeSchema, err = guide.Schema(guide.EnvelopeType); err != nil || out.explained {
		return out, err
	}
	doc, err := guide.Write(env.Catalog, "workflows", "formats", "flags", "errors", "deprecations")
	out.GlobalFlags = doc.Globals
	out.Activation, out.Workflows, out.Deprecations = doc.Activation, doc.Workflows, doc.Deprecations
	out.ErrorCodes, out.ExitCodes, out.ParseCodes = doc.ErrorCodes, doc.ExitCodes, doc.ParseCodes
	return out, err
}

// verbsNamed returns the verbs with these names, or the real ones with these beginnings of names, as config of
// config-get; all real ones for no name.
func verbsNamed(catalog *registry.Catalog, names []string) ([]*registry.Verb, error) {
	if len(names) == 0 {
		return catalog.RealVerbs(), nil
	}
	var verbs []*registry.Verb
	for _, name := range names {
		found := []*registry.Verb{}
		if verb := catalog.Find(name); verb != nil {
			found = append(found, verb)
		} else {
			for _, verb := range catalog.RealVerbs() {
				if strings.HasPrefix(verb.Name, name+"-") {
					found = append(found, verb)
				}
			}
		}
		if len(found) == 0 {
			return nil, suggest.Near(&core.Error{
				Code: core.NotFound, Message: fmt.Sprintf("no verb is named %q", name),
				Hint: "See 'cupola capabilities' for their names.",
			}, name, catalog.Names())
		}
		verbs = append(verbs, found...)
	}
	return verbs, nil
}

func (o capabilitiesOut) Report() *report.Report {
	r := &report.Report{}
	if o.explained {
		return r.Add(report.Block{Raw: guide.Explain(o.Commands)})
	}
	for _, group := range o.groups {
		table := &report.Table{Columns: report.Columns("", "", "")}
		for _, verb := range o.verbs {
			if verb.Group == group {
				table.Rows = append(table.Rows,
					[]report.Cell{
						report.Toned(report.Strong, verb.Name), report.Text(verb.Short),
						report.Toned(report.Dim, string(verb.Effect)),
					})
			}
		}
		r.AddTable(group, table)
	}
	r.AddLine(report.Toned(report.Dim, "other names: "+strings.Join(slices.Sorted(maps.Keys(o.Aliases)), ", ")))
	r.AddLine(report.Toned(report.Dim, "planned: "+strings.Join(o.Planned, ", ")))
	return r
}

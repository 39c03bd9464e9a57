package help

import (
	"context"
	"fmt"
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
	// Aliases has a line for each other name of a verb, with its command; absent where verbs were named.
	Aliases []string `json:"aliases,omitempty"`
	// NotInstalled are the external tools that are not installed: their verbs, as in jfp-list, are not among the
	// commands; absent where verbs were named.
	NotInstalled []string `json:"not_installed,omitempty"`
	// GlobalFlags are taken by every verb; only with --verbose.
	GlobalFlags []guide.Flag `json:"global_flags,omitempty"`
	// The rest is there only with --verbose: what is under the same names in
	// docs.
	Activation   []guide.Topic       `json:"activation,omitempty"`
	Workflows    []guide.Workflow    `json:"workflows,omitempty"`
	ErrorCodes   []advice.CodeRow    `json:"error_codes,omitempty"`
	ExitCodes    []guide.Topic       `json:"exit_codes,omitempty"`
	ParseCodes   []guide.Topic       `json:"parse_codes,omitempty"`
	Deprecations []guide.Deprecation `json:"deprecations,omitempty"`
	// EnvelopeSchema is the schema of the common part of all answers, which the verbs' own response_schema leaves
	// out.
	EnvelopeSchema any `json:"envelope_schema,omitempty"`

	groups    []string
	verbs     []*registry.Verb
	explained bool
}

var capabilities = registry.Define(registry.Spec[*verb.Local, capabilitiesIn, capabilitiesOut]{
	Name: "capabilities", Group: verb.GroupLearn, Short: "List the verbs, or explain some",
	Long: "Without names it lists all verbs in a line each, with other names and tools that are not installed; " +
		"with names it explains those verbs: arguments, flags, examples and errors. --verbose adds the schema of " +
		"each answer; without names it explains everything, including global flags, exit codes, deprecated " +
		"flags and workflows.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true,
	Examples: []string{"", "spawn send", "--verbose"},
	Run:      runCapabilities,
}).SeeAlso("docs")

func runCapabilities(_ context.Context, env *verb.Local, in capabilitiesIn) (capabilitiesOut, error) {
	verbs, err := verbsNamed(env.Catalog, in.Verbs)
	if err != nil {
		return capabilitiesOut{}, err
	}
	var missing []string
	if len(in.Verbs) == 0 && !in.Verbose {
		verbs, missing = installed(env, verbs)
	}
	out := capabilitiesOut{Version: env.Version, Commands: map[string]guide.Verb{}, NotInstalled: missing}
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
		out.Aliases = guide.Aliases(env.Catalog)
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

// installed leaves out the verbs of tools that are not installed, and names those tools.
func installed(env *verb.Local, verbs []*registry.Verb) (there []*registry.Verb, missing []string) {
	for _, verb := range verbs {
		switch _, is := env.Bridges.Installed(verb.Tool); {
		case verb.Tool == "" || is:
			there = append(there, verb)
		case !slices.Contains(missing, verb.Tool):
			missing = append(missing, verb.Tool)
		}
	}
	return there, missing
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
	if len(o.Aliases) > 0 {
		r.AddLine(report.Toned(report.Dim, "other names: "+strings.Join(o.Aliases, ", ")))
	}
	if len(o.NotInstalled) > 0 {
		r.AddLine(report.Toned(report.Dim, "not installed: "+strings.Join(o.NotInstalled, ", ")))
	}
	return r
}

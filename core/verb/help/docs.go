package help

import (
	"context"
	"slices"

	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

type docsIn struct {
	Sections []string `default:"guide" enum:"guide,workflows,formats,flags,errors,aliases,deprecations,commands,schemas,all" inline:"word" help:"Sections to show"`
}

type docsOut struct {
	guide.Document
}

var docsSpec = registry.Spec[*verb.Local, docsIn, docsOut]{
	Name: "docs", Group: verb.GroupLearn, Short: "Teach an agent how to use Cupola",
	Long: "By default the guide; this answer also says which other sections there are and how large each is. " +
		"'cupola capabilities' lists the verbs, 'cupola capabilities VERB' explains one, 'cupola schema VERB' gives " +
		"its answer's shape.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true,
	Examples: []string{"", "--sections=errors,flags"},
	Run:      runDocs,
}

var docs = registry.Define(docsSpec).SeeAlso("capabilities")

func (o docsOut) Report() *report.Report {
	return (&report.Report{}).Add(report.Block{Raw: guide.Page(o.Document)})
}

func runDocs(_ context.Context, env *verb.Local, in docsIn) (docsOut, error) {
	document, err := guide.Write(env.Catalog, in.Sections...)
	if err != nil {
		return docsOut{}, err
	}
	if slices.Equal(in.Sections, guide.Usual) {
		document.Sections, err = guide.Index(env.Catalog)
	}
	return docsOut{document}, err
}

// Markdown returns the document as a page.
func (o docsOut) Markdown() string { return guide.Page(o.Document) }

// robotDocs has the name under which other tools of this kind give all of it.
var robotDocs = registry.Define(docsSpec.As("robot-docs", "docs --sections=all",
	"Return the whole manifest: every verb with its flags, examples, errors and schema", "")).
	SeeAlso("capabilities", "status")

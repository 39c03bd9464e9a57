package command

import (
	"context"

	"cupola/core/report"
	"cupola/robot/guide"
	"cupola/robot/registry"
)

type docsIn struct {
	Schemas bool `help:"Include the JSON Schema of every answer"`
}

type docsOut struct {
	guide.Document
}

var docs = registry.Define(registry.Spec[docsIn, docsOut]{
	Name: "docs", Aliases: []string{"robot-docs"}, Group: groupLearn, Short: "Teach an agent everything about Cupola in one answer",
	Scope: registry.Global, Effect: registry.Reads, Default: docsIn{Schemas: true}, Examples: []docsIn{{Schemas: true}, {Schemas: false}},
	Run: func(_ context.Context, deps *registry.Deps, in docsIn) (docsOut, error) {
		document, err := guide.Write(deps.Catalog, in.Schemas)
		return docsOut{document}, err
	},
	Human: func(_ docsIn, out docsOut) *report.Report {
		return (&report.Report{}).Add(report.Block{Raw: guide.Page(out.Document)})
	},
})

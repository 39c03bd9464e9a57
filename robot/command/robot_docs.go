package command

import (
	"context"

	"cupola/core/report"
	"cupola/robot/guide"
	"cupola/robot/registry"
)

// robotDocs has the name under which other tools of this kind give all of it.
var robotDocs = registry.Define(registry.Spec[struct{}, docsOut]{
	Name: "robot-docs", Schema: "docs", Group: groupLearn,
	Short: "Return the whole manifest: every verb with its flags, examples, errors and schema",
	Long:  "It is docs with all sections, for programs that read everything at once. 'cupola docs' is the short form.",
	Scope: registry.Global, Effect: registry.Reads, Examples: []struct{}{{}},
	Run: func(ctx context.Context, deps *registry.Deps, _ struct{}) (docsOut, error) {
		return runDocs(ctx, deps, docsIn{Sections: []string{"all"}})
	},
	Human: func(_ struct{}, out docsOut) *report.Report {
		return (&report.Report{}).Add(report.Block{Raw: guide.Page(out.Document)})
	},
}).SeeAlso("capabilities", "status")

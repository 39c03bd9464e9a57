package help

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// robotDocs has the name under which other tools of this kind give all of it.
var robotDocs = registry.Define(registry.Spec[*verb.Local, struct{}, docsOut]{
	Name: "robot-docs", Schema: "docs", Group: verb.GroupLearn,
	Short: "Return the whole manifest: every verb with its flags, examples, errors and schema",
	Long:  "It is docs with all sections, for programs that read everything at once. 'cupola docs' is the short form.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, Examples: []string{""},
	Run: func(ctx context.Context, env *verb.Local, _ struct{}) (docsOut, error) {
		return runDocs(ctx, env, docsIn{Sections: []string{"all"}})
	},
}).SeeAlso("capabilities", "status")

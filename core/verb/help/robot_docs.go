package help

import "cupola/core/verb/registry"

// robotDocs has the name under which other tools of this kind give all of it.
var robotDocs = registry.Define(docsSpec.As("robot-docs", "docs --sections=all",
	"Return the whole manifest: every verb with its flags, examples, errors and schema", "")).
	SeeAlso("capabilities", "status")

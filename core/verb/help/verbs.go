// Package help declares the verbs that explain verbs to programs.
package help

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	capabilities, schema, docs, robotDocs, version,
}

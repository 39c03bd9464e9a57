// Package servers declares the verbs that serve the others over HTTP, and the verbs that show such servers and stop
// them.
package servers

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{serve, serveStatus, serveStop}

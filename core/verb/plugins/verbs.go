// Package plugins declares the verbs that install hooks and skills into agents.
package plugins

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	pluginInstall, pluginStatus, pluginUpdate, pluginRemove,
}

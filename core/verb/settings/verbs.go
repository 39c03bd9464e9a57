// Package settings declares the verbs that show and change the settings, and what is wrong with settings files.
package settings

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	configShow, configGet, configSet, ConfigEdit, configPaths, configInit,
}

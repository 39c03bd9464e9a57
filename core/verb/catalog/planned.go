package catalog

import "cupola/core/verb/registry"

// planned are the verbs that are known and do not exist yet.
var planned = []registry.Plan{
	{Name: "ensemble", Short: "State of an ensemble"},
	{Name: "ensemble-spawn", Short: "Start an ensemble"},
}

package command

import "cupola/robot/registry"

// planned are the verbs that are known and do not exist yet.
var planned = []registry.Plan{
	{Name: "summary", Short: "What happened since a time or revision"},
	{Name: "diff", Short: "What changed since a time or revision"},
	{Name: "ensemble", Short: "State of an ensemble"},
	{Name: "ensemble-spawn", Short: "Start an ensemble"},
}

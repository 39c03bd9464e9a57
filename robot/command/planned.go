package command

import (
	"strings"

	"cupola/robot/registry"
)

// planned are the verbs that are known and do not exist yet.
var planned = append(plannedVerbs, plannedBridges()...)

// plannedBridges are the tools that Cupola will reach through verbs named after
// tool and action.
func plannedBridges() []registry.Plan {
	var plans []registry.Plan
	for _, tool := range []struct {
		name    string
		actions string
	}{
		{"jfp", "status list search show suggest install export update installed categories tags bundles"},
		{"ms", "search show"},
		{"dcg", "status check"},
		{"slb", "pending approve deny"},
		{"cass", "search status insights context"},
		{"xf", "search status"},
		{"mail", "check"},
		{"ru", "status"},
		{"ubs", "status"},
		{"acfs", "status"},
		{"giil", "status"},
	} {
		for _, action := range strings.Fields(tool.actions) {
			plans = append(plans, registry.Plan{Name: tool.name + "-" + action, Short: "Bridge to the tool " + tool.name})
		}
	}
	return plans
}

var plannedVerbs = []registry.Plan{
	{Name: "dashboard", Short: "The numbers that the dashboard shows"},
	{Name: "metrics", Short: "Counts and durations per period"},
	{Name: "summary", Short: "What happened since a time or revision"},
	{Name: "diff", Short: "What changed since a time or revision"},
	{Name: "files", Short: "Files changed lately, and by whom"},
	{Name: "tools", Short: "Optional tools and what they give"},
	{Name: "plan", Short: "Plan of the work items"},
	{Name: "triage", Short: "Triage of the work items"},
	{Name: "graph", Short: "Dependency graph of the work items"},
	{Name: "forecast", Short: "Forecast for a work item"},
	{Name: "impact", Short: "Impact of a file"},
	{Name: "hotspots", Short: "Files that change most"},
	{Name: "relations", Short: "Files that change together"},
	{Name: "file-beads", Short: "Work items that touch a file"},
	{Name: "bead-list", Short: "List work items"},
	{Name: "bead-show", Short: "Show a work item"},
	{Name: "bead-claim", Short: "Claim a work item"},
	{Name: "bead-create", Short: "Create a work item"},
	{Name: "bead-close", Short: "Close a work item"},
	{Name: "account-status", Short: "Who is signed in at each provider"},
	{Name: "accounts-list", Short: "Accounts of each provider"},
	{Name: "quota-check", Short: "Limits of each provider"},
	{Name: "budget", Short: "Spend against ceilings"},
	{Name: "budget-set", Short: "Set a spending ceiling"},
	{Name: "checkpoint", Short: "Record a session"},
	{Name: "checkpoint-list", Short: "List recorded sessions"},
	{Name: "restore", Short: "Restore a recorded session"},
	{Name: "doctor", Short: "Health of everything that Cupola uses"},
	{Name: "setup", Short: "Set Cupola up"},
	{Name: "config-show", Short: "Show the configuration with origins"},
	{Name: "config-get", Short: "Show one setting"},
	{Name: "config-set", Short: "Change one setting"},
	{Name: "config-edit", Short: "Edit the configuration"},
	{Name: "config-paths", Short: "Show where the configuration is read from"},
	{Name: "config-init", Short: "Write a first configuration"},
	{Name: "broadcast", Short: "Send a prompt to many sessions"},
	{Name: "assign", Short: "Give a work item to an agent"},
	{Name: "bulk-assign", Short: "Give work items to agents"},
	{Name: "save", Short: "Save a session's shape and prompts"},
	{Name: "replay", Short: "Send a prompt from the history again"},
	{Name: "ensemble", Short: "State of an ensemble"},
	{Name: "ensemble-spawn", Short: "Start an ensemble"},
	{Name: "pipeline-run", Short: "Run a file of steps"},
	{Name: "pipeline-status", Short: "State of a pipeline"},
	{Name: "pipeline-list", Short: "List pipelines"},
	{Name: "pipeline-cancel", Short: "Cancel a pipeline"},
}

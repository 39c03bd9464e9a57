package work

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type bulkAssignIn struct {
	registry.InSession
	Strategy string              `default:"impact" enum:"impact,ready,stale,balanced" alias:"!bulk-strategy" help:"Which items come first: those that block most, the most urgent, the longest untouched, or each of these in turn"`
	Template registry.TextOrFile `alias:"!prompt-template" help:"Prompt template: a file or a text, with fields such as {id} {title} {description} {acceptance} {labels}"`
	Skip     []string            `alias:"!skip-panes" names:"panes" help:"Leave out these panes: ordinals, %IDs or agent names"`
	assignTo
}

var bulkAssign = registry.Define(registry.Spec[verb.OnFleet, bulkAssignIn, assignOut]{
	Name: "bulk-assign", Of: "assign --each", Group: verb.GroupWork, Short: "Give a work item to every idle agent",
	Long: "Each idle agent gets one ready, unassigned item, as 'assign' would give it. The strategy balanced also " +
		"starts with the agents " +
		"that have gone longest without a prompt. The answer reports on every item; so do the details of a failure.",
	Scope: registry.Session, Effect: registry.Writes, List: "assignments",
	Examples: []string{"api --dry-run", "api --strategy=balanced --template='echo {id}'"},
	Errors:   assigning, Run: runBulkAssign,
})

func runBulkAssign(ctx context.Context, deps verb.OnFleet, in bulkAssignIn) (assignOut, error) {
	return giveEach(ctx, deps, in.Session, in.Strategy, string(in.Template), in.Skip, in.assignTo)
}

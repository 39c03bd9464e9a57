package command

import (
	"context"

	"cupola/core/report"
	"cupola/robot/registry"
)

type bulkAssignIn struct {
	registry.InSession
	Strategy string   `enum:"impact,ready,stale,balanced" alias:"!bulk-strategy" help:"Which items first: those that most others wait for, the most urgent, those untouched for longest, or one of each in turn"`
	Template string   `alias:"!prompt-template" help:"Prompt: a file, or a text with {id} {title} {description} {acceptance} {labels} and the like"`
	Skip     []string `alias:"!skip-panes" help:"Not these panes: ordinals, %IDs or agent names"`
	Type     []string `help:"Only agents of these kinds (claude or cc, codex or cod, ...)"`
	Dir      string   `help:"A folder of the project (default: where the session works)"`
	registry.OverBudget
	registry.Preview
}

var bulkAssign = registry.Define(registry.Spec[bulkAssignIn, assignOut]{
	Name: "bulk-assign", Group: groupWork, Short: "Give a work item to every idle agent",
	Long: "Each idle agent gets one item that is ready and nobody's, as assign gives it. balanced also begins with the agents that were sent a " +
		"prompt longest ago. Every part is in the answer, and in the details of a failure.",
	Scope: registry.Session, Effect: registry.Writes, Default: bulkAssignIn{Strategy: "impact"},
	Examples: []bulkAssignIn{
		{InSession: registry.InSession{Session: "api"}, Strategy: "impact", Preview: registry.Preview{DryRun: true}},
		{InSession: registry.InSession{Session: "api"}, Strategy: "balanced", Template: "echo {id}"},
	},
	List:   registry.List{Name: "assignments", Presets: assignPresets},
	Errors: assigning, Run: runBulkAssign,
	Next:  func(_ bulkAssignIn, out assignOut) []registry.Action { return afterAssigning(out) },
	Human: func(_ bulkAssignIn, out assignOut) *report.Report { return assignReport(out) },
})

func runBulkAssign(ctx context.Context, deps *registry.Deps, in bulkAssignIn) (assignOut, error) {
	w, g, err := assignTo{
		session: in.Session, types: in.Type, skip: in.Skip, strategy: in.Strategy,
		template: in.Template, dir: in.Dir, dryRun: in.DryRun, overBudget: in.OverrideBudget,
	}.begin(ctx, deps)
	if err != nil {
		return assignOut{}, err
	}
	g.items = w.unassigned(in.Strategy)
	if len(g.items) == 0 {
		return assignOut{}, nothingReady()
	}
	return w.give(ctx, deps, g)
}

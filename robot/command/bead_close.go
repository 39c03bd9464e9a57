package command

import (
	"context"

	"cupola/core/report"
	"cupola/robot/registry"
)

type beadCloseIn struct {
	ID     string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Reason string `empty:"none" help:"What was done"`
	inProject
}

var beadClose = registry.Define(registry.Spec[beadCloseIn, beadChanged]{
	Name: "bead-close", Group: groupWork, Short: "Close a work item",
	Long:  "Uses bd or br. The answer lists the items that this makes ready.",
	Scope: registry.Resource, Effect: registry.Writes, Examples: []beadCloseIn{{ID: "bd-1", Reason: "done"}},
	Errors: changingBeads, Run: runBeadClose,
	Human: func(_ beadCloseIn, out beadChanged) *report.Report { return changedReport("Closed", out) },
})

func runBeadClose(ctx context.Context, deps *registry.Deps, in beadCloseIn) (beadChanged, error) {
	w, err := workToChange(ctx, deps, in.inProject)
	if err != nil {
		return beadChanged{}, err
	}
	if _, err := w.set.Find(in.ID); err != nil {
		return beadChanged{}, err
	}
	freed := w.graph.FreedBy(in.ID)
	item, err := w.tool.Close(ctx, w.place, in.ID, in.Reason)
	if err != nil {
		return beadChanged{}, err
	}
	out := changed(w, item)
	out.Unblocked = append(out.Unblocked, freed...)
	return out, nil
}

package work

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type beadCloseIn struct {
	ID     string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Reason string `empty:"none" help:"What was done"`
	verb.InProject
}

var beadClose = registry.Define(registry.Spec[*verb.Env, beadCloseIn, beadChanged]{
	Name: "bead-close", Group: verb.GroupWork, Short: "Close a work item",
	Long:  "Uses bd or br. The answer lists the items that this makes ready.",
	Scope: registry.Resource, Effect: registry.Writes, Examples: []string{"bd-1 --reason=done"},
	Errors: changingBeads, Run: runBeadClose,
})

func runBeadClose(ctx context.Context, env *verb.Env, in beadCloseIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
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
	out := changed(w, item, "Closed")
	out.Unblocked = append(out.Unblocked, freed...)
	return out, nil
}

package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type beadClaimIn struct {
	ID       string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Assignee string `help:"Who claims it (default: you, as bd knows you)"`
	verb.InProject
}

var beadClaim = registry.Define(registry.Spec[*verb.Env, beadClaimIn, beadChanged]{
	Name: "bead-claim", Group: verb.GroupWork, Short: "Claim a work item",
	Long: "Uses bd or br to set the assignee and mark the item as in progress. An item that is assigned to " +
		"another assignee, closed or blocked is refused.",
	Scope: registry.Resource, Effect: registry.Writes, Examples: []string{"bd-1 --assignee=cc_1"},
	Errors: changingBeads, Run: runBeadClaim,
})

func runBeadClaim(ctx context.Context, env *verb.Env, in beadClaimIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
	if err != nil {
		return beadChanged{}, err
	}
	if err := w.claimable(in.ID); err != nil {
		return beadChanged{}, err
	}
	item, err := w.tool.Claim(ctx, w.place, in.ID, in.Assignee)
	if err != nil {
		return beadChanged{}, err
	}
	return changed(w, item, cmp.Or(item.Assignee, "you")+" took"), nil
}

// claimable says why an item cannot be taken; nil if it can.
func (w *work) claimable(id string) error {
	item, err := w.set.Find(id)
	if err != nil {
		return err
	}
	blockers := w.graph.Blockers(id)
	e := &core.Error{Code: core.Conflict, Actions: []string{"cupola bead-list --ready"}}
	switch {
	case item.Done():
		e.Message, e.Hint = id+" is closed", "Choose one that is ready."
	case len(blockers) > 0:
		e.Message, e.Hint = fmt.Sprintf("%s waits for %s", id, strings.Join(blockers, ", ")),
			"Do that first, or remove the dependency with 'bd dep remove'."
		e.Details = map[string]any{"blocked_by": blockers}
	default:
		return nil
	}
	return e
}

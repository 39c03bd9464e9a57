package runs

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// DeleteIn is the input of the verb run-delete.
type DeleteIn struct {
	Runs []string `arg:"rest" required:"true" lister:"run-list" names:"record" help:"Ids of runs to remove"`
	registry.Preview
	registry.Consent
}

type runDeleteOut struct {
	// Removed are the ids; with --dry-run those that would be removed.
	Removed []string `json:"removed_ids"`
	DryRun  bool     `json:"dry_run"`
}

var runDelete = registry.Define(registry.Spec[*verb.Env, DeleteIn, runDeleteOut]{
	Name: "run-delete", Group: verb.GroupRuns, Doing: "deleting", Short: "Remove what is on record of runs",
	Long: "Transcripts of the backends, panes, worktrees and branches stay. A run that has not ended is refused: " +
		"cancel it first.",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"a1b2c3d4 --dry-run"},
	Errors:   append([]core.Code{core.Cancelled}, actCodes...), Run: runRunDelete,
}).SeeAlso("run-list")

func runRunDelete(ctx context.Context, env *verb.Env, in DeleteIn) (runDeleteOut, error) {
	out := runDeleteOut{Removed: []string{}, DryRun: in.DryRun}
	var chosen []run.Head
	for _, word := range in.Runs {
		found, err := env.Runs.Find(word)
		switch {
		case err != nil:
			return out, err
		case found.ID != word:
			return out, &core.Error{
				Code: core.Ambiguous, Message: word + " is a name: say which of its runs is to be removed",
				Suggestions: []string{found.ID},
			}
		case !found.State.Ended():
			return out, &core.Error{
				Code:     core.Conflict,
				Message:  "the " + string(found.Kind) + " " + found.ID + " is " + string(found.State),
				Remedies: []core.Remedy{core.RemedyCancelRun}, Subject: core.Subject{Run: found.ID},
			}
		}
		chosen, out.Removed = append(chosen, found), append(out.Removed, found.ID)
	}
	if in.DryRun {
		return out, nil
	}
	may := verb.Permission{Verb: "run-delete", In: in, Given: in.Given()}
	if err := may.Ask(env.Who(), "Remove "+strings.Join(out.Removed, ", ")+"?"); err != nil {
		return runDeleteOut{Removed: []string{}}, err
	}
	for i := range chosen {
		if err := controlOf(env, chosen[i].Kind).Remove(ctx, chosen[i].ID); err != nil {
			out.Removed = out.Removed[:i]
			return out, err
		}
	}
	return out, nil
}

// Report shows a person what was removed.
func (o runDeleteOut) Report() *report.Report {
	act := map[bool]string{true: "would remove ", false: "removed "}[o.DryRun]
	r := &report.Report{}
	for _, id := range o.Removed {
		r.AddLine(report.Text(act), report.Toned(report.Strong, id))
	}
	return r
}

package runs

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// DeleteIn is the input of the verb run-delete.
type DeleteIn struct {
	Runs []string `arg:"rest" required:"true" lister:"run-list" names:"record" help:"Ids of runs to remove"`
	registry.Preview
	registry.Consent
}

var runDelete = registry.Define(registry.Spec[*verb.Env, DeleteIn, verb.Removed]{
	Name: "run-delete", Group: verb.GroupRuns, Doing: "deleting", Short: "Remove what is on record of runs",
	Long: "Transcripts of the backends, panes, worktrees and branches stay. A run that has not ended is refused: " +
		"cancel it first.",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"a1b2c3d4 --dry-run"},
	Errors:   append([]core.Code{core.Cancelled}, actCodes...), Run: runRunDelete,
}).SeeAlso("run-list")

func runRunDelete(ctx context.Context, env *verb.Env, in DeleteIn) (verb.Removed, error) {
	ids, kinds := []string{}, map[string]run.Kind{}
	for _, word := range in.Runs {
		found, err := env.Runs.Find(word)
		switch {
		case err != nil:
			return verb.Removed{IDs: ids, DryRun: in.DryRun}, err
		case found.ID != word:
			return verb.Removed{IDs: ids, DryRun: in.DryRun}, &core.Error{
				Code: core.Ambiguous, Message: word + " is a name: say which of its runs is to be removed",
				Suggestions: []string{found.ID},
			}
		case !found.State.Ended():
			return verb.Removed{IDs: ids, DryRun: in.DryRun}, run.ErrRunning(&found)
		}
		ids, kinds[found.ID] = append(ids, found.ID), found.Kind
	}
	may := verb.Permission{Verb: "run-delete", In: in, Given: in.Given()}
	return verb.Remove(env.Who(), may, in.DryRun, ids, "Remove "+strings.Join(ids, ", ")+"?", func(id string) error {
		return controlOf(env, kinds[id]).Remove(ctx, id)
	})
}

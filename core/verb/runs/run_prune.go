package runs

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runPruneIn struct {
	Kind      []string      `enum:"relay,crew,story,pipeline" help:"Only runs of these kinds, separated by commas"`
	OlderThan time.Duration `help:"Remove runs that ended longer ago than this (default: what the setting store.days says)"`
	registry.Preview
	registry.Consent
}

var runPrune = registry.Define(registry.Spec[*verb.Env, runPruneIn, verb.Removed]{
	Name: "run-prune", Group: verb.GroupRuns, Short: "Remove what is on record of runs that ended long ago",
	Long: "Each run that begins removes some that ended more than store.days ago; this removes all of them at once. " +
		"One that needs you stays. Transcripts of the backends, panes, worktrees and branches stay, too.",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"--older-than=720h --dry-run"},
	Errors:   append([]core.Code{core.Cancelled}, actCodes...), Run: runRunPrune,
}).SeeAlso("run-delete", "run-list")

// Check sees that no run is removed that has just ended.
func (in runPruneIn) Check() error {
	if in.OlderThan < 0 {
		return core.Errorf(core.InvalidInput, "--older-than is a time span that is over")
	}
	return nil
}

func runRunPrune(ctx context.Context, env *verb.Env, in runPruneIn) (verb.Removed, error) {
	out := verb.Removed{IDs: []string{}, DryRun: in.DryRun}
	keep := in.OlderThan
	if keep == 0 {
		if keep = env.Settings().Store.Age(); keep == 0 {
			return out, nil
		}
	}
	kinds := map[string]run.Kind{}
	for _, kind := range run.Kinds() {
		if len(in.Kind) > 0 && !slices.Contains(in.Kind, string(kind)) {
			continue
		}
		rows, _, err := env.Runs.List(run.Expired(kind, env.Now().Add(-keep), 0))
		if err != nil {
			return out, err
		}
		for i := range rows {
			out.IDs, kinds[rows[i].ID] = append(out.IDs, rows[i].ID), kind
		}
	}
	may := verb.Permission{Verb: "run-prune", In: in, Given: in.Given()}
	question := "Remove " + verb.Plural(len(out.IDs), "run") + "?"
	return verb.Remove(env.Who(), may, in.DryRun, out.IDs, question, func(id string) error {
		return controlOf(env, kinds[id]).Remove(ctx, id)
	})
}

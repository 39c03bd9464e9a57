// Package runs has the verbs that list runs of all kinds and act on them. What a run of one kind does beside that is in
// the packages of the kinds.
package runs

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/crews"
	"cupola/core/verb/pipelines"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/stories"
)

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	runList, runShow, runLogs, runFollow, runWait, runPause, runResume, runCancel, runDelete, runPrune,
}

// OfRun names a run.
type OfRun struct {
	Run string `arg:"1" required:"true" lister:"run-list" names:"record" help:"The run: its id, or its name for the newest run with that name"`
}

// codes are the errors that all verbs of runs can have.
var codes = []core.Code{
	core.NotFound, core.IOError, core.PermissionDenied, core.DecodeFailed, core.StoreError, core.StoreLocked,
	core.MigrationFailed,
}

// actCodes are the codes of verbs that act on a run.
var actCodes = append([]core.Code{core.Ambiguous, core.Conflict, core.Timeout}, codes...)

// controlOf is how the runs of a kind are acted on.
func controlOf(env *verb.Env, kind run.Kind) *run.Control {
	switch kind {
	case run.Crew:
		return crews.Control(env)
	case run.Story:
		return stories.Control(env)
	case run.Pipeline:
		return pipelines.Control(env)
	}
	return relays.Control(&env.Local)
}

// get finds a run, and brings it into a state.
func get(ctx context.Context, env *verb.Env, word string, into run.State) (run.Head, error) {
	found, err := env.Runs.FindTo(word, into)
	if err != nil {
		return run.Head{}, err
	}
	return controlOf(env, found.Kind).Get(ctx, found.ID, into)
}

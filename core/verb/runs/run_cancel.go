package runs

import (
	"context"
	"time"

	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CancelIn is the input of the verb run-cancel.
type CancelIn struct {
	OfRun
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var runCancel = registry.Define(registry.Spec[*verb.Env, CancelIn, StateOut]{
	Name: "run-cancel", Group: verb.GroupRuns, Doing: "cancelling", Short: "End a run, and the agents that it asks",
	Long:  "What it came to until then stays on record. All kinds but relays can be resumed.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"a1b2c3d4"},
	Errors:   actCodes,
	Run: func(ctx context.Context, env *verb.Env, in CancelIn) (StateOut, error) {
		ctx, stop := run.Within(ctx, in.Timeout)
		defer stop()
		h, err := get(ctx, env, in.Run, run.Cancelled)
		return StateOut{Head: h}, err
	},
}).SeeAlso("run-resume", "run-delete")

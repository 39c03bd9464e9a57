package pipelines

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type pipelineCancelIn struct {
	Run     string        `arg:"1" required:"true" lister:"pipeline-list" names:"record" help:"Id of a run, or a pipeline's name if only one of its runs is active"`
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var pipelineCancel = registry.Define(registry.Spec[*verb.Env, pipelineCancelIn, PipelineOut]{
	Name: "pipeline-cancel", Of: "run-cancel", Group: verb.GroupPipes, Short: "Stop a pipeline run",
	Aliases: []string{"pipeline stop"},
	Long: "The running step is interrupted and no other is started. What was done stays done; 'pipeline-run " +
		"--resume' continues from there.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"review"},
	List:     "steps", Errors: []core.Code{
		core.NotFound, core.Ambiguous, core.Conflict, core.Timeout, core.IOError,
		core.PermissionDenied,
	},
	Run: runPipelineCancel,
})

func runPipelineCancel(ctx context.Context, env *verb.Env, in pipelineCancelIn) (PipelineOut, error) {
	found, err := env.Runs.FindTo(in.Run, run.Cancelled, run.Pipeline)
	if err != nil {
		return PipelineOut{}, err
	}
	limited, stop := run.Within(ctx, in.Timeout)
	defer stop()
	err = Control(env).Stop(limited, found.ID)
	r, failed := Directory(&env.Local).Find(found.ID)
	if failed != nil {
		return PipelineOut{}, failed
	}
	out := pipelineOutOf(r, Directory(&env.Local), false)
	if core.AsError(err).HasCode(core.Timeout) {
		err = verb.WithDetails(err, out)
	}
	return out, err
}

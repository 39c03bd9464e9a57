package pipelines

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/pipeline"
	"cupola/core/verb"
)

// Control is how runs of pipelines are acted on. They are not paused: a step that began is not cut off, and the next
// begins at once.
func Control(env *verb.Env) *run.Control {
	book := Book(&env.Local)
	return &run.Control{
		Kind: run.Pipeline,
		Load: func(_ context.Context, id string) (run.Head, error) {
			r, err := book.Load(id)
			if err != nil {
				return run.Head{}, core.FileError("read the run", err)
			}
			return r.Head(), nil
		},
		Resume: func(ctx context.Context, id string) error {
			// The process in the background opens the fleet.
			_, err := runPipeline(ctx, verb.OnFleet{Env: env}, pipelineRunIn{
				Resume: id, Interrupted: string(pipeline.Halt), Background: true,
			})
			return err
		},
		Cancel: func(ctx context.Context, id string) error {
			_, err := book.Cancel(ctx, id)
			return err
		},
		Remove: book.Remove,
	}
}

// Show returns a run with what became of each step.
func Show(env *verb.Local, id string) (*PipelineOut, error) {
	r, err := Book(env).Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	out := withProgress(pipelineOutOf(r, Book(env), false))
	return &out, nil
}

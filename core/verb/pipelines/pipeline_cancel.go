package pipelines

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/run/pipeline"
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
	book := Book(&env.Local)
	id, err := runToCancel(book, in.Run)
	if err != nil {
		return PipelineOut{}, err
	}
	ctx, stop := verb.Within(ctx, in.Timeout)
	defer stop()
	run, err := book.Cancel(ctx, id)
	if run == nil {
		return PipelineOut{}, err
	}
	out := pipelineOutOf(run, book, false)
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = &core.Error{
			Code:    core.Timeout,
			Message: fmt.Sprintf("the run %s has not ended within %s", id, in.Timeout), Details: out,
			Err: err,
		}
	}
	return out, err
}

// runToCancel is the run that a word means: of several runs of a pipeline, the
// one that is running.
func runToCancel(book pipeline.Book, word string) (string, error) {
	runs, err := book.All()
	if err != nil {
		return "", err
	}
	var running []string
	for i := range runs {
		if runs[i].ID == word {
			return word, nil
		}
		if runs[i].Name == word && runs[i].State == pipeline.Running {
			running = append(running, runs[i].ID)
		}
	}
	switch len(running) {
	case 0:
		run, err := book.Find(word)
		if err != nil {
			return "", err
		}
		return run.ID, nil
	case 1:
		return running[0], nil
	}
	e := core.Errorf(core.Ambiguous, "%s of %s are running", verb.Plural(len(running), "run"), word)
	e.Suggestions = running
	return "", e
}

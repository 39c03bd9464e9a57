package command

import (
	"context"

	"cupola/core"
	"cupola/core/pipeline"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type pipelineStatusIn struct {
	Run string `arg:"1" help:"Id of a run, or a pipeline's name for its newest run (default: the newest of all)"`
	registry.Detail
}

var pipelineStatus = registry.Define(registry.Spec[pipelineStatusIn, pipelineOut]{
	Name: "pipeline-status", Group: groupPipes, Short: "Show the progress of a pipeline run",
	Aliases: []string{"pipeline show"},
	Long: "A run is called interrupted if its process died; 'cupola pipeline-run --resume=ID' continues it. With " +
		"--verbose, each step includes its answer.",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []pipelineStatusIn{{}, {Detail: registry.Detail{Verbose: true}}},
	List:     "steps", Errors: []core.Code{core.NotFound, core.IOError, core.PermissionDenied},
	Run:   runPipelineStatus,
	Hints: func(_ pipelineStatusIn, out pipelineOut) *registry.Hints { return out.hints() },
	Next:  func(_ pipelineStatusIn, out pipelineOut) []registry.Action { return out.next() },
}).SeeAlso("pipeline-list", "status")

func runPipelineStatus(_ context.Context, deps *registry.Deps, in pipelineStatusIn) (pipelineOut, error) {
	book := pipeline.Book{Dir: deps.Paths.Pipelines()}
	if in.Run != "" {
		run, err := book.Find(in.Run)
		if err != nil {
			return pipelineOut{}, err
		}
		return pipelineOutOf(run, book, in.Verbose), nil
	}
	runs, err := book.All()
	if err != nil || len(runs) == 0 {
		return pipelineOut{State: "none"}, err
	}
	return pipelineOutOf(&runs[0], book, in.Verbose), nil
}

func (o pipelineOut) next() []registry.Action {
	switch o.State {
	case pipeline.Running:
		return []registry.Action{{
			Action: "cancel", Description: "Stop it",
			Command: shell.Line("cupola", "pipeline-cancel", o.ID),
		}}
	case pipeline.Interrupted, pipeline.Failed, pipeline.Cancelled:
		return []registry.Action{{
			Action: "resume", Description: "Go on with it",
			Command: shell.Line("cupola", "pipeline-run", "--resume="+o.ID),
		}}
	}
	return nil
}

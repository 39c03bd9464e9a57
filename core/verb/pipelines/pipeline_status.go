package pipelines

import (
	"context"

	"cupola/core"
	"cupola/core/run/pipeline"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type pipelineStatusIn struct {
	Run string `arg:"1" names:"record" help:"Id of a run, or a pipeline's name for its newest run (default: the newest of all)"`
	registry.Detail
}

var pipelineStatus = registry.Define(registry.Spec[*verb.Env, pipelineStatusIn, PipelineOut]{
	Name: "pipeline-status", Of: "run-show", Group: verb.GroupPipes, Short: "Show the progress of a pipeline run",
	Aliases: []string{"pipeline show"},
	Long: "A run is called interrupted if its process died; 'cupola pipeline-run --resume=ID' continues it. With " +
		"--verbose, each step includes its answer.",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"", "--verbose"},
	List:     "steps", Errors: []core.Code{core.NotFound, core.IOError, core.PermissionDenied},
	Run: runPipelineStatus,
}).SeeAlso("run-list", "status")

func runPipelineStatus(_ context.Context, env *verb.Env, in pipelineStatusIn) (PipelineOut, error) {
	directory := Directory(&env.Local)
	if in.Run != "" {
		run, err := directory.Find(in.Run)
		if err != nil {
			return PipelineOut{}, err
		}
		return withProgress(pipelineOutOf(run, directory, in.Verbose)), nil
	}
	runs, err := directory.All()
	if err != nil || len(runs) == 0 {
		return withProgress(PipelineOut{State: "none"}), err
	}
	return withProgress(pipelineOutOf(&runs[0], directory, in.Verbose)), nil
}

// withProgress adds to a run how far it got, and what can be done about it.
func withProgress(out PipelineOut) PipelineOut {
	switch out.State {
	case pipeline.Running:
		out.next = []registry.Action{verb.NextAction("cancel", "Stop it", "pipeline-cancel", out.ID)}
	case pipeline.Interrupted, pipeline.Failed, pipeline.Cancelled:
		out.next = []registry.Action{verb.NextAction("resume", "Continue it", "pipeline-run", "--resume="+out.ID)}
	}
	return out.counted()
}

package runs

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ResumeIn is the input of the verb run-resume.
type ResumeIn struct{ OfRun }

var runResume = registry.Define(registry.Spec[*verb.Env, ResumeIn, StateOut]{
	Name: "run-resume", Group: verb.GroupRuns, Doing: "resuming",
	Short: "Resume a run that is paused, was cut off, or needed you",
	Long: "It continues in the background, where it was: what is done is not done again. A pause that was asked for " +
		"and has not started is withdrawn. A relay has nothing to continue with, unless it was cut off while it " +
		"waited at a usage limit, or is a panel with rounds left. 'crew resume', 'story resume' and 'pipeline run " +
		"--resume' have the flags of their kinds.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"a1b2c3d4"},
	Errors: append([]core.Code{
		core.BudgetExceeded, core.ToolNotFound, core.ProjectNotFound, core.BackendFailed,
	}, actCodes...),
	Run: func(ctx context.Context, env *verb.Env, in ResumeIn) (StateOut, error) {
		h, err := get(ctx, env, in.Run, run.Running)
		return StateOut{Head: h}, err
	},
}).SeeAlso("run-pause", "run-show")

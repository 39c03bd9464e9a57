package stories

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyWaitIn struct {
	OfRun
	Timeout time.Duration `default:"4h" help:"How long to wait"`
}

var storyWait = registry.Define(registry.Spec[*verb.Env, storyWaitIn, RunOut]{
	Name: "story-wait", Of: "run-wait", Group: verb.GroupStory,
	Short: "Wait until a run of stories has ended, and show how",
	Scope: registry.Resource, Effect: registry.Reads, List: "stories",
	Examples: []string{"a1b2c3d4"},
	Errors:   append([]core.Code{core.Timeout, core.HealthFailed, core.BudgetExceeded, core.Conflict}, codes...),
	Run:      runStoryWait,
}).SeeAlso("run-show", "run-logs")

func runStoryWait(ctx context.Context, env *verb.Env, in storyWaitIn) (RunOut, error) {
	r, err := find(&env.Local, in.Run)
	if err != nil {
		return RunOut{}, err
	}
	ctx, stop := run.Within(ctx, in.Timeout)
	defer stop()
	if _, err := Control(env).Wait(ctx, r.ID); err != nil {
		return RunOut{}, err
	}
	if r, err = find(&env.Local, r.ID); err != nil {
		return RunOut{}, err
	}
	out := RunOut{Run: r}.counted()
	switch err := core.AsError(failure(out)); {
	case err != nil && err.Code != core.Timeout && err.Code != core.BudgetExceeded && err.Code != core.Conflict:
		err.Code = core.HealthFailed
		return out, err
	case err != nil:
		return out, err
	case r.State == story.Interrupted:
		e := core.Errorf(core.HealthFailed, "the process of the run %s ended before the run did", r.ID)
		e.Remedies, e.Subject.Run = []core.Remedy{core.RemedyResumeRun}, r.ID
		return out, e
	}
	return out, nil
}

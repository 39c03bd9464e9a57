package stories

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyWaitIn struct {
	OfRun
	Timeout time.Duration `default:"4h" help:"How long to wait"`
}

var storyWait = registry.Define(registry.Spec[*verb.Local, storyWaitIn, RunOut]{
	Name: "story-wait", Of: "run-wait", Group: verb.GroupStory,
	Short: "Wait until a run of stories has ended, and show how",
	Scope: registry.Resource, Effect: registry.Reads, List: "stories",
	Examples: []string{"a1b2c3d4"},
	Errors:   append([]core.Code{core.Timeout, core.HealthFailed, core.BudgetExceeded, core.Conflict}, codes...),
	Run:      runStoryWait,
}).SeeAlso("run-show", "run-logs")

func runStoryWait(ctx context.Context, env *verb.Local, in storyWaitIn) (RunOut, error) {
	r, err := Find(env, in.Run)
	if err != nil {
		return RunOut{}, err
	}
	err = verb.Await(ctx, in.Timeout, "the run "+r.ID, func() (ended bool, err error) {
		if r, err = Book(env).Load(r.ID); err != nil {
			return false, core.FileError("read the run", err)
		}
		return r.State.Ended() && !Book(env).Running(r.ID), nil
	})
	if err != nil {
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
		e.Remedies, e.Subject.Run = []core.Remedy{core.RemedyResumeStory}, r.ID
		return out, e
	}
	return out, nil
}

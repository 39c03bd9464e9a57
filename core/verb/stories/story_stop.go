package stories

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryStopIn is the input of the verb story-stop.
type StoryStopIn struct {
	OfRun
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var storyStop = registry.Define(registry.Spec[*verb.Local, StoryStopIn, RunStateOut]{
	Name: "story-stop", Of: "run-cancel", Group: verb.GroupStory, Doing: "stopping",
	Short: "Stop a run of stories, and the agents that it asks",
	Long: "What was committed stays, and what an agent has changed stays in the worktree: 'story resume' continues " +
		"there. An agent in a pane continues until its turn ends.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"a1b2c3d4"},
	Errors:   append([]core.Code{core.Conflict, core.Timeout}, codes...),
	Run: func(ctx context.Context, env *verb.Local, in StoryStopIn) (RunStateOut, error) {
		r, err := Find(env, in.Run)
		if err != nil {
			return RunStateOut{}, err
		}
		limited, stop := verb.Within(ctx, in.Timeout)
		defer stop()
		stopped, err := Book(env).Stop(limited, r.ID)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = core.Errorf(core.Timeout, "the run %s has not ended within %s", r.ID, in.Timeout)
		}
		if stopped == nil {
			return RunStateOut{}, err
		}
		return RunStateOut{ID: r.ID, State: stopped.State, Reason: stopped.Reason}, err
	},
}).SeeAlso("run-resume", "run-pause")

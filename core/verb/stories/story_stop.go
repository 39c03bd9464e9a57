package stories

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryStopIn is the input of the verb story-stop.
type StoryStopIn struct {
	OfRun
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var storyStop = registry.Define(registry.Spec[*verb.Env, StoryStopIn, RunStateOut]{
	Name: "story-stop", Of: "run-cancel", Group: verb.GroupStory, Doing: "stopping",
	Short: "Stop a run of stories, and the agents that it asks",
	Long: "What was committed stays, and what an agent has changed stays in the worktree: 'story resume' continues " +
		"there. An agent in a pane continues until its turn ends.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"a1b2c3d4"},
	Errors:   append([]core.Code{core.Conflict, core.Timeout}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in StoryStopIn) (RunStateOut, error) {
		ctx, stop := run.Within(ctx, in.Timeout)
		defer stop()
		return stateAfter(env, in.Run, func(id string) error { return Control(env).Stop(ctx, id) })
	},
}).SeeAlso("run-resume", "run-pause")

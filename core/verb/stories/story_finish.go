package stories

import (
	"context"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryFinishIn is the input of the verb story-finish.
type StoryFinishIn struct {
	OfRun
	Squash bool `help:"Make one commit of all stories that are done"`
}

var storyFinish = registry.Define(registry.Spec[*verb.Env, StoryFinishIn, RunOut]{
	Name: "story-finish", Group: verb.GroupStory, Doing: "finishing",
	Short: "Make one commit of what a run made, or keep one a story",
	Long: "It changes the branch of the run alone. The commits from before are kept under refs/cupola/story. " +
		"'worktree merge' brings the branch into yours.",
	Scope: registry.Resource, Effect: registry.Writes, List: "stories",
	Examples: []string{"a1b2c3d4 --squash"},
	Errors:   append([]core.Code{core.Conflict, core.ProjectNotFound}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in StoryFinishIn) (RunOut, error) {
		r, err := Finish(ctx, env, in.Run, in.Squash)
		return RunOut{Run: r}.counted(), err
	},
}).SeeAlso("run-show", "worktree-merge")

// Finish makes one commit of what a run made, where that is wanted.
func Finish(ctx context.Context, env *verb.Env, word string, squash bool) (*story.Run, error) {
	r, err := find(&env.Local, word)
	if err != nil || !squash {
		return r, err
	}
	l, err := loopOf(env, r)
	if err != nil {
		return r, err
	}
	return l.Squash(ctx, r.ID)
}

package stories

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyStatusIn struct{ OfRun }

var storyStatus = registry.Define(registry.Spec[*verb.Local, storyStatusIn, RunOut]{
	Name: "story-status", Of: "run-show", Group: verb.GroupStory, Short: "Show a run of stories, with every try",
	Scope: registry.Resource, Effect: registry.Reads, List: "stories",
	Examples: []string{"a1b2c3d4"},
	Errors:   codes,
	Run: func(_ context.Context, env *verb.Local, in storyStatusIn) (RunOut, error) {
		r, err := find(env, in.Run)
		return RunOut{Run: r}.counted(), err
	},
}).SeeAlso("run-logs", "run-wait")

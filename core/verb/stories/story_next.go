package stories

import (
	"context"

	"cupola/core/run/story"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyNextIn struct{ ofChange }

type storyNextOut struct {
	Name     string       `json:"name"`
	Complete bool         `json:"complete"`
	Story    *story.Story `json:"story,omitempty"`

	// again is how a command names the stories.
	again again
}

var storyNext = registry.Define(registry.Spec[*verb.Local, storyNextIn, storyNextOut]{
	Name: "story-next", Of: "story-show --next", Group: verb.GroupStory,
	Short: "Show the first story of a change that is not done",
	Scope: registry.Global, Effect: registry.Reads,
	Examples: []string{"add-login"},
	Errors:   changeCodes,
	Run: func(_ context.Context, env *verb.Local, in storyNextIn) (storyNextOut, error) {
		change, err := in.read(env)
		if err != nil {
			return storyNextOut{}, err
		}
		next := change.Next()
		return storyNextOut{Name: change.Name, Complete: next == nil, Story: next, again: in.again(change)}, nil
	},
}).SeeAlso("story-list")

// Next shows all stories, and how they would be worked on.
func (o storyNextOut) Next() []registry.Action {
	show := verb.NextAction("show", "See all stories and tasks", o.again.words("story-show")...)
	if o.Story == nil {
		return []registry.Action{show}
	}
	return []registry.Action{
		show,
		verb.NextAction("plan", "See how its stories would be worked on", o.again.words("story-run", "--dry-run")...),
	}
}

// Report shows a person the story with its tasks.
func (o storyNextOut) Report() *report.Report {
	r := &report.Report{}
	if o.Story == nil {
		return report.Say(report.Text("All stories of "), report.Toned(report.Strong, o.Name),
			report.Text(" are done."))
	}
	r.Add(storyBlock(o.Story))
	return r
}

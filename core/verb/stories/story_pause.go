package stories

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryPauseIn is the input of the verb story-pause.
type StoryPauseIn struct{ OfRun }

// RunStateOut is the answer of the verbs story-pause and story-stop.
type RunStateOut struct {
	ID     string       `json:"id"`
	State  story.State  `json:"state"`
	Reason story.Reason `json:"reason,omitempty"`
	// Asked is the request to the run that takes effect before its next try.
	Asked string `json:"requested,omitempty"`
}

var storyPause = registry.Define(registry.Spec[*verb.Env, StoryPauseIn, RunStateOut]{
	Name: "story-pause", Of: "run-pause", Group: verb.GroupStory, Doing: "pausing",
	Short: "Let a run of stories begin no other try",
	Long:  "The agent that works continues until its turn ends and its work was verified.",
	Scope: registry.Resource, Effect: registry.Answers,
	Examples: []string{"a1b2c3d4"},
	Errors:   append([]core.Code{core.Conflict}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in StoryPauseIn) (RunStateOut, error) {
		out, err := stateAfter(env, in.Run, func(id string) error {
			_, err := Control(env).Get(ctx, id, run.Paused)
			return err
		})
		if err == nil {
			out.Asked = "pause"
		}
		return out, err
	},
}).SeeAlso("run-resume", "run-cancel")

// Report shows a person what becomes of the run.
func (o RunStateOut) Report() *report.Report {
	if o.Asked != "" {
		return report.Say(report.Text("The run "), report.Toned(report.Strong, o.ID),
			report.Text(" pauses before its next try."))
	}
	return report.Say(report.Text("The run "), report.Toned(report.Strong, o.ID),
		report.Text(" is "+string(o.State)+"."))
}

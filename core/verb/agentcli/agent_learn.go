package agentcli

import (
	"context"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentLearnIn struct {
	Text string `arg:"1" required:"true" help:"What was learned, in a sentence"`
	Task string `empty:"none" help:"Id of the task that it came from"`
	ofStory
}

type agentLearnOut struct {
	SessionID string `json:"session_id"`
	Learning  string `json:"learning"`
	TaskID    string `json:"task_id,omitempty"`
	StoryID   string `json:"story_id,omitempty"`
	// TotalLearnings is how many the session has that are written nowhere else yet.
	TotalLearnings int `json:"total_learnings"`
}

var agentLearn = registry.Define(registry.Spec[*verb.Local, agentLearnIn, agentLearnOut]{
	Name: "agent-learn", Group: verb.GroupInside, Short: "Record what others need to know",
	ForPrograms: true,
	Long: forMachines + howFound + "The context of all agents of the session has it at once, and " +
		"'agent session flush' writes it into the design.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"'Tokens expire after one hour' --task=1.1"},
	Errors:   append(append([]core.Code{core.TaskNotFound, core.StoryNotFound}, codes...), writeCodes...),
	Run: func(ctx context.Context, env *verb.Local, in agentLearnIn) (agentLearnOut, error) {
		s, change, err := in.ofSession.find(env)
		if err != nil {
			return agentLearnOut{}, err
		}
		learned := story.Learning{Text: in.Text, Task: story.Given(in.Task)}
		on, err := s.StoryOf(change, in.Story, inherited(env, storyVariables))
		switch {
		case err == nil:
			learned.Story = on.ID
		case !core.AsError(err).HasCode(core.StoryRequired):
			return agentLearnOut{}, err
		}
		if learned.Task != "" {
			of, _, err := change.FindTask(learned.Task, "")
			if err != nil {
				return agentLearnOut{}, err
			}
			learned.Story = of.ID
		}
		total, err := directoryOf(env).Learn(ctx, s.ID, learned)
		return agentLearnOut{
			SessionID: s.ID, Learning: learned.Text, TaskID: learned.Task, StoryID: learned.Story,
			TotalLearnings: total,
		}, err
	},
}).SeeAlso("agent-context", "agent-status")

// Next shows what all agents of the session see.
func (o agentLearnOut) Next() []registry.Action {
	return next("status", "See how far the change is", "agent-status", o.SessionID)
}

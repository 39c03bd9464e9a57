package agentcli

import (
	"context"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentTaskDoneIn struct {
	ID string `arg:"1" required:"true" lister:"agent-context" help:"Id of the task"`
	ofStory
}

type agentTaskDoneOut struct {
	SessionID string `json:"session_id"`
	TaskID    string `json:"task_id"`
	StoryID   string `json:"story_id"`
	// Remaining are the ids of the story's tasks that are not done.
	Remaining     []string `json:"remaining"`
	StoryComplete bool     `json:"story_complete"`
}

var agentTaskDone = registry.Define(registry.Spec[*verb.Local, agentTaskDoneIn, agentTaskDoneOut]{
	Name: "agent-task-done", Group: verb.GroupInside, Short: "Tick a task of the story",
	Aliases: []string{"agent task done"}, ForPrograms: true,
	Long:  forMachines + howFound + "It ticks this task alone, in the file of tasks. A task that is ticked stays so.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"1.2"},
	Errors: append(append([]core.Code{core.TaskNotFound, core.ScopeError, core.Conflict}, storyCodes...),
		writeCodes...),
	Run: func(ctx context.Context, env *verb.Local, in agentTaskDoneIn) (agentTaskDoneOut, error) {
		s, change, on, err := in.find(env)
		if err != nil {
			return agentTaskDoneOut{}, err
		}
		if _, _, err := change.FindTask(in.ID, on.ID); err != nil {
			return agentTaskDoneOut{}, aboutStory(err, s.ID)
		}
		if change, err = directoryOf(env).Tick(ctx, s.ID, in.ID); err != nil {
			return agentTaskDoneOut{}, err
		}
		out := agentTaskDoneOut{SessionID: s.ID, TaskID: in.ID, StoryID: on.ID, Remaining: []string{}}
		if now := change.Story(on.ID); now != nil {
			out.Remaining, out.StoryComplete = remaining(now), now.Complete()
		}
		return out, nil
	},
}).SeeAlso("agent-status", "agent-learn")

// aboutStory adds to an error that the tasks of the story help.
func aboutStory(err error, session string) error {
	e := *core.AsError(err)
	e.Remedies, e.Subject.Run = append(e.Remedies, core.RemedyShowTasks), session
	return &e
}

// Next says what to do when all is done, or shows the rest.
func (o agentTaskDoneOut) Next() []registry.Action {
	if o.StoryComplete {
		return next("status", "See how far the change is", "agent-status", o.SessionID)
	}
	return next("context", "See the tasks that remain", "agent-context", o.SessionID, "--story="+o.StoryID)
}

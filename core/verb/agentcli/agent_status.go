package agentcli

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentStatusIn struct{ ofStory }

type agentStatusOut struct {
	SessionID  string `json:"session_id"`
	ChangeName string `json:"change_name"`
	// Story is the current one, or the first that is not complete; absent if all are.
	Story  *storyCounts `json:"story,omitempty"`
	Change changeCounts `json:"change"`
	// StoryComplete is true if all tasks of the story are done, ChangeComplete if all stories are complete and there is
	// one.
	StoryComplete  bool `json:"story_complete"`
	ChangeComplete bool `json:"change_complete"`

	// free is true if the agent chooses its stories and ends the session.
	free bool
}

// storyCounts says how far a story is, changeCounts how far a change.
type storyCounts struct {
	ID         string `json:"id"`
	TasksDone  int    `json:"tasks_done"`
	TasksTotal int    `json:"tasks_total"`
}

type changeCounts struct {
	StoriesDone  int `json:"stories_done"`
	StoriesTotal int `json:"stories_total"`
}

var agentStatus = registry.Define(registry.Spec[*verb.Local, agentStatusIn, agentStatusOut]{
	Name: "agent-status", Group: verb.GroupInside, Short: "Say how far story and change are",
	ForPrograms: true,
	Long:        forMachines + howFound + "Without a current story, it is about the first that is not complete.",
	Scope:       registry.Global, Effect: registry.Reads,
	Examples: []string{""},
	Errors:   append([]core.Code{core.StoryNotFound}, codes...),
	Run: func(_ context.Context, env *verb.Local, in agentStatusIn) (agentStatusOut, error) {
		s, change, err := in.ofSession.find(env)
		if err != nil {
			return agentStatusOut{}, err
		}
		on, err := s.StoryOf(change, in.Story, inherited(env, storyVariables))
		if core.AsError(err).HasCode(core.StoryRequired) {
			on, err = change.Next(), nil
		}
		if err != nil {
			return agentStatusOut{}, err
		}
		out := statusOf(s.ID, s.Change, change, on)
		out.free = s.Free() == nil
		return out, nil
	},
}).SeeAlso("agent-context", "agent-session-next-story")

// statusOf says how far a change and one of its stories are; that may be nil if all are complete.
func statusOf(session, name string, change *story.Change, on *story.Story) agentStatusOut {
	out := agentStatusOut{SessionID: session, ChangeName: name, StoryComplete: on == nil && len(change.Stories) > 0}
	for i := range change.Stories {
		if change.Stories[i].Complete() {
			out.Change.StoriesDone++
		}
	}
	out.Change.StoriesTotal = len(change.Stories)
	out.ChangeComplete = out.Change.StoriesTotal > 0 && out.Change.StoriesDone == out.Change.StoriesTotal
	if on != nil {
		out.Story = &storyCounts{ID: on.ID, TasksDone: on.TasksDone(), TasksTotal: len(on.Tasks)}
		out.StoryComplete = on.Complete()
	}
	return out
}

// Next leads to the tasks that remain, or to the next story.
func (o agentStatusOut) Next() []registry.Action {
	switch {
	case o.Story != nil && !o.StoryComplete:
		return next("context", "See the tasks that remain", "agent-context", o.SessionID, "--story="+o.Story.ID)
	case !o.free:
		return nil
	case !o.ChangeComplete:
		return next("next-story", "Begin the next story", "agent-session-next-story", o.SessionID)
	}
	return next("flush", "Write what was learned, and end the session", "agent-session-flush", o.SessionID)
}

// Report says the same to a person.
func (o agentStatusOut) Report() *report.Report {
	text := fmt.Sprintf("%d of %d stories of %s are done", o.Change.StoriesDone, o.Change.StoriesTotal, o.ChangeName)
	if o.Story != nil {
		text = fmt.Sprintf("Story %s: %d of %d tasks are done; %s", o.Story.ID, o.Story.TasksDone, o.Story.TasksTotal,
			text)
	}
	return report.Say(report.Text(text))
}

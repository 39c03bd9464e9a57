package agentcli

import (
	"context"
	"strings"

	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentContextIn struct{ ofStory }

type agentContextOut struct {
	SessionID  string   `json:"session_id"`
	ChangeName string   `json:"change_name"`
	TasksFile  string   `json:"tasks_file"`
	Story      storyRow `json:"story"`
	// Tasks are the tasks of the story, in the order of the file.
	Tasks []story.Task `json:"tasks" empty:"the story has no tasks"`
	// Proposal and Design are absent where the change has none. Design has the learnings that were flushed.
	Proposal string `json:"proposal,omitempty"`
	Design   string `json:"design,omitempty"`
	// Scenarios are the scenarios of the whole change.
	Scenarios []story.Scenario `json:"scenarios"`
	// Learnings are the learnings of this session, which are not in the design yet.
	Learnings []learningRow `json:"learnings"`
	// Verify are the commands that prove a story, and VerifyFrom says what named them: flags, settings, guess or
	// none.
	Verify     []string         `json:"verify"`
	VerifyFrom story.VerifyFrom `json:"verify_from,omitempty"`
}

var agentContext = registry.Define(registry.Spec[*verb.Local, agentContextIn, agentContextOut]{
	Name: "agent-context", Group: verb.GroupInside, Short: "Show what an agent needs for its story",
	ForPrograms: true,
	Long:        forMachines + strings.TrimSpace(howFound),
	Scope:       registry.Global, Effect: registry.Reads, List: "tasks",
	Examples: []string{"", "--story=2"},
	Errors:   storyCodes,
	Run: func(_ context.Context, env *verb.Local, in agentContextIn) (agentContextOut, error) {
		s, change, on, err := in.find(env)
		if err != nil {
			return agentContextOut{}, err
		}
		out := agentContextOut{
			SessionID: s.ID, ChangeName: s.Change, TasksFile: s.Path, Story: rowOf(*on), Tasks: on.Tasks,
			Proposal: change.Proposal, Design: change.Design, Scenarios: change.Scenarios, Learnings: learningRows(s),
			Verify: s.Verify, VerifyFrom: s.VerifyFrom,
		}
		if len(out.Verify) == 0 && s.VerifyFrom == "" {
			if out.Verify = story.Guess(s.Dir); len(out.Verify) > 0 {
				out.VerifyFrom = story.FromGuess
			}
		}
		return out, nil
	},
}).SeeAlso("agent-task-done", "agent-status", "agent-learn")

// Next says how to report the first task that is not done.
func (o agentContextOut) Next() []registry.Action {
	for i := range o.Tasks {
		if !o.Tasks[i].Done {
			return next("task-done", "Tick the first task once it is done", "agent-task-done", o.SessionID,
				o.Tasks[i].ID, "--story="+o.Story.ID)
		}
	}
	return next("status", "See how far the change is", "agent-status", o.SessionID)
}

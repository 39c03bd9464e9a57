package agentcli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentSessionInitIn struct {
	Change string            `help:"Name of the change: that of an OpenSpec change, or with --tasks what to call it"`
	Tasks  registry.ReadPath `help:"File of tasks in place of an OpenSpec change"`
	Story  string            `empty:"none" help:"Id of the story to begin with (default: none until next-story)"`
	Reopen bool              `help:"Take over the session that was left in this folder, or of --change, whose owner ended"`
	owned
}

type agentSessionOut struct {
	SessionID  string `json:"session_id"`
	ChangeName string `json:"change_name"`
	TasksFile  string `json:"tasks_file"`
	Dir        string `json:"dir"`
	OwnerPID   int    `json:"owner_pid"`
	// StoryID is the current story; absent before the first.
	StoryID string `json:"story_id,omitempty"`
	// Stories are in the order of the file.
	Stories []storyRow `json:"stories" empty:"the change has no stories"`
	// Learnings are the learnings that are in no file yet.
	Learnings []learningRow `json:"learnings"`
}

// learningRow is something that was learned.
type learningRow struct {
	_    struct{}  `minimal:"text" standard:"text,task_id,story_id"`
	Text string    `json:"text" table:"LEARNED,flex"`
	Task string    `json:"task_id,omitempty" table:"TASK"`
	On   string    `json:"story_id,omitempty" table:"STORY"`
	At   time.Time `json:"at"`
}

var agentSessionInit = registry.Define(registry.Spec[*verb.Local, agentSessionInitIn, agentSessionOut]{
	Name: "agent-session-init", Group: verb.GroupInside, Short: "Begin a session of agents on a change",
	Aliases: []string{"agent session init"}, ForPrograms: true,
	Long: forMachines + "A change has one session at a time, which belongs to a process and is found in the folder " +
		"of the project and below. If the owner ends, 'agent session resume' gives its session another one; a new " +
		"init takes the change over with all that was learned.",
	Scope: registry.Global, Effect: registry.Writes, List: "stories",
	Examples: []string{"--change=add-search"},
	Errors: append([]core.Code{
		core.ChangeNotFound, core.ProjectNotFound, core.NotFound, core.StoryNotFound, core.IOError,
		core.PermissionDenied,
	}, writeCodes...),
	Run: runAgentSessionInit,
}).SeeAlso("agent-session-next-story", "agent-session-flush")

// Check sees that it is said which change.
func (in agentSessionInitIn) Check() error {
	switch {
	case in.Reopen && in.Tasks != "":
		return registry.Conflict("--reopen", "--tasks")
	case in.Reopen && story.Given(in.Story) != "":
		return registry.Conflict("--reopen", "--story")
	case !in.Reopen && story.Given(in.Change) == "" && in.Tasks == "":
		return registry.Missing("agent-session-init needs --change or --tasks",
			"Usage: cupola agent-session-init --change=NAME [--tasks=FILE]", "--change")
	}
	return nil
}

// read reads the change that is named.
func (in agentSessionInitIn) read(dir string) (*story.Change, error) {
	name := story.Given(in.Change)
	if in.Tasks == "" {
		return story.Read(dir, name)
	}
	change, err := story.ReadTasks(verb.Absolute(dir, in.Tasks))
	if err == nil && name != "" {
		change.Name = name
	}
	return change, err
}

func runAgentSessionInit(ctx context.Context, env *verb.Local, in agentSessionInitIn) (agentSessionOut, error) {
	if in.Reopen {
		return runAgentSessionResume(ctx, env, agentSessionResumeIn{Change: in.Change, owned: in.owned})
	}
	change, err := in.read(env.Dir)
	if err != nil {
		return agentSessionOut{}, err
	}
	started := ""
	if named := story.Given(in.Story); named != "" {
		found, err := change.Find(named)
		if err != nil {
			return agentSessionOut{}, err
		}
		started = found.ID
	}
	owner, err := in.owner()
	if err != nil {
		return agentSessionOut{}, err
	}
	s, over, err := directoryOf(env).Create(ctx, agentsession.Request{
		Change: change, Dir: agentsession.FoundIn(change, env.Dir), Pane: agentsession.PaneOf(env.Getenv),
		Story: started, Owner: owner,
	})
	if err != nil {
		return agentSessionOut{}, err
	}
	for i := range over {
		env.Warn(fmt.Sprintf("took over the session %s of this change, whose owner (process %d) ended, with %s; "+
			"that id is no longer valid", over[i].ID, over[i].Owner.PID,
			verb.Plural(len(over[i].Learnings), "learning")))
	}
	for _, line := range change.Dropped {
		env.Warn(fmt.Sprintf("%s:%d is no task: %s", filepath.Base(change.Path), line.Line, line.Why))
	}
	return sessionOut(s, change), nil
}

// sessionOut is a session with its stories.
func sessionOut(s *agentsession.Session, change *story.Change) agentSessionOut {
	return agentSessionOut{
		SessionID: s.ID, ChangeName: s.Change, TasksFile: s.Path, Dir: s.Dir, OwnerPID: s.Owner.PID, StoryID: s.Story,
		Stories:   core.Map(change.Stories, rowOf),
		Learnings: learningRows(s),
	}
}

func learningRows(s *agentsession.Session) []learningRow {
	return core.Map(s.Learnings, func(l story.Learning) learningRow {
		return learningRow{Text: l.Text, Task: l.Task, On: l.Story, At: l.At}
	})
}

// Next says how to work on the current story, or on the first.
func (o agentSessionOut) Next() []registry.Action {
	if o.StoryID != "" {
		return next("context", "See what the story is about", "agent-context", o.SessionID)
	}
	return next("next-story", "Begin the first story that is not complete", "agent-session-next-story", o.SessionID)
}

type agentSessionResumeIn struct {
	Session string `names:"agent-session" empty:"that of this folder" help:"Id of the agent's session (default: the one that was left in this folder)"`
	Change  string `empty:"any" help:"Name of the change whose newest session is resumed"`
	owned
}

var agentSessionResume = registry.Define(registry.Spec[*verb.Local, agentSessionResumeIn, agentSessionOut]{
	Name: "agent-session-resume", Of: "agent-session-init --reopen", Group: verb.GroupInside,
	Short:   "Take over a session without an owner",
	Aliases: []string{"agent session resume"}, ForPrograms: true,
	Long: forMachines + "After a crash of the process that owned a session, its story and what was learned are still " +
		"on record. If the owner runs, this fails.",
	Scope: registry.Global, Effect: registry.Writes, List: "stories",
	Examples: []string{"--change=add-login"},
	Errors:   append(append([]core.Code{}, codes...), writeCodes...),
	Run:      runAgentSessionResume,
}).SeeAlso("agent-session-next-story", "agent-session-flush")

func runAgentSessionResume(ctx context.Context, env *verb.Local, in agentSessionResumeIn) (agentSessionOut, error) {
	owner, err := in.owner()
	if err != nil {
		return agentSessionOut{}, err
	}
	place := ofSession{Session: in.Session}.place(env)
	s, err := directoryOf(env).Ended(place, story.Given(in.Change))
	if err != nil {
		return agentSessionOut{}, err
	}
	change, err := s.Read()
	if err != nil {
		return agentSessionOut{}, err
	}
	if s, err = directoryOf(env).Resume(ctx, s.ID, owner, place.Pane); err != nil {
		return agentSessionOut{}, err
	}
	return sessionOut(s, change), nil
}

// Check sees that the session is named in one way.
func (in agentSessionResumeIn) Check() error {
	if story.Given(in.Session) != "" && story.Given(in.Change) != "" {
		return registry.Conflict("--session", "--change")
	}
	return nil
}

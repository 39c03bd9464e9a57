package agentcli

import (
	"cmp"
	"errors"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// forMachines is the first sentence of the help of every verb of this package.
const forMachines = "This is for agents and the programs that run them: the answer is JSON, on a terminal too, " +
	"unless --human asks for text. "

// howFound says in the help how a session is found.
const howFound = "The session is the one in --session; else the one of this folder or the nearest above it, in " +
	"which the " +
	"pane decides between several; else that of RALPH_SESSION or CUPOLA_STORY_SESSION, if it is of this folder. "

// sessionVariables and storyVariables are the variables that name a session and a story; the first that is set
// decides.
var (
	sessionVariables = []string{"RALPH_SESSION", agentsession.SessionVariable}
	storyVariables   = []string{"RALPH_STORY", agentsession.StoryVariable}
)

// ofSession names the session of a change on which an agent works. It is no session of the terminal server.
type ofSession struct {
	Session string `names:"agent-session" empty:"that of this folder" help:"Id of the agent's session (default: found by folder, pane and environment)"`
}

// ofStory names the story, too.
type ofStory struct {
	ofSession
	Story string `empty:"the current one" help:"Id of the story (default: the session's current one)"`
}

// owned says which process a session belongs to.
type owned struct {
	OwnerPID int `min:"1" help:"Process that the session belongs to and lasts as long as (default: the leader of the caller's process session, such as its shell, or the caller)"`
}

// owner returns the process that a session belongs to.
func (in owned) owner() (agentsession.Owner, error) {
	if in.OwnerPID == 0 {
		owner, err := agentsession.Caller()
		if err != nil {
			return owner, core.Errorf(core.InternalError, "find the calling process: %w", err)
		}
		return owner, nil
	}
	owner, err := agentsession.OwnerOf(in.OwnerPID)
	if errors.Is(err, process.ErrGone) {
		return owner, &core.Error{
			Code: core.InvalidInput, Message: "no process that runs has the id that --owner-pid gives", Err: err,
		}
	}
	return owner, err
}

// directoryOf is where sessions of agents are on record.
func directoryOf(env *verb.Local) *agentsession.Directory {
	return &agentsession.Directory{
		Dir: env.Paths.StorySessions(), Files: story.Files{Locks: env.Paths.StoryLocks()}, Now: env.Now,
	}
}

// find returns the session and its change as it is now.
func (in ofSession) find(env *verb.Local) (*agentsession.Session, *story.Change, error) {
	s, err := directoryOf(env).Find(in.place(env))
	if err != nil {
		return nil, nil, err
	}
	change, err := s.Read()
	return s, change, err
}

// place is where the caller is.
func (in ofSession) place(env *verb.Local) agentsession.Subject {
	return agentsession.Subject{
		Named: in.Session, Inherited: inherited(env, sessionVariables), Dir: env.Dir,
		Pane: agentsession.PaneOf(env.Getenv),
	}
}

// find returns the session, its change and the story.
func (in ofStory) find(env *verb.Local) (*agentsession.Session, *story.Change, *story.Story, error) {
	s, change, err := in.ofSession.find(env)
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := s.StoryOf(change, in.Story, inherited(env, storyVariables))
	return s, change, found, err
}

// inherited returns the first of some variables that is set.
func inherited(env *verb.Local, names []string) string {
	return cmp.Or(core.Map(names, func(name string) string { return story.Given(env.Getenv(name)) })...)
}

// storyRow is a story with the counts of its tasks.
type storyRow struct {
	_          struct{} `minimal:"id,title" standard:"id,title,tasks_total,tasks_done"`
	ID         string   `json:"id" table:"STORY,strong"`
	Title      string   `json:"title,omitempty" table:"TITLE,flex"`
	TasksTotal int      `json:"tasks_total" table:"TASKS"`
	TasksDone  int      `json:"tasks_done" table:"DONE"`
}

func rowOf(s story.Story) storyRow {
	return storyRow{ID: s.ID, Title: s.Title, TasksTotal: len(s.Tasks), TasksDone: s.TasksDone()}
}

// remaining are the ids of the tasks of a story that are not done.
func remaining(s *story.Story) []string {
	ids := []string{}
	for i := range s.Tasks {
		if !s.Tasks[i].Done {
			ids = append(ids, s.Tasks[i].ID)
		}
	}
	return ids
}

// next is an action about a session.
func next(action, does, name, session string, words ...string) []registry.Action {
	return verb.NextOnly(action, does, append([]string{name}, append(words, "--session="+session)...)...)
}

// codes are the errors that all verbs of a session can have.
var codes = []core.Code{
	core.SessionRequired, core.NotFound, core.Ambiguous, core.ChangeNotFound, core.ProjectNotFound,
	core.IOError, core.PermissionDenied,
}

// storyCodes are the codes of verbs that need a story.
var storyCodes = append([]core.Code{core.StoryRequired, core.StoryNotFound}, codes...)

// writeCodes are the codes of verbs that change a session.
var writeCodes = []core.Code{core.Timeout, core.ChangeLocked}

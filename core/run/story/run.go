package story

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
)

// State is how far a run is.
type State string

// The states. A run is interrupted if its process ended without recording an end.
const (
	Running     State = "running"
	Paused      State = "paused"
	Completed   State = "completed"
	Failed      State = "failed"
	Stopped     State = "stopped"
	Interrupted State = "interrupted"
)

// Ended reports whether no process runs it.
func (s State) Ended() bool { return s != Running && s != Paused }

// Reason is why a run ended.
type Reason string

// The reasons. All but AllDone and StoppedBy need the user.
const (
	AllDone       Reason = "all_done"
	StoppedBy     Reason = "stopped"
	Retries       Reason = "max_retries"
	NoProgress    Reason = "no_progress"
	TimeLimit     Reason = "time_limit"
	Budget        Reason = "budget"
	MaxIterations Reason = "max_iterations"
	Conflicted    Reason = "conflict"
	Blocked       Reason = "blocked"
	Error         Reason = "error"
)

// State returns the state in which a run ends for a reason.
func (r Reason) State() State {
	switch r {
	case AllDone:
		return Completed
	case StoppedBy:
		return Stopped
	}
	return Failed
}

// Source is where the stories of a run come from.
type Source string

// The sources: an OpenSpec change, a file of tasks, work items, a file of issues.
const (
	OpenSpec Source = "openspec"
	Tasks    Source = "tasks"
	Beads    Source = "beads"
	Issues   Source = "issues"
)

// InRepository reports whether the stories are in a list of tasks that is a file of the repository.
func (s Source) InRepository() bool { return s == OpenSpec || s == Tasks }

// recordVersion is the version of the records that this program writes.
const recordVersion = 1

// Run is the record of one loop over stories.
type Run struct {
	_       struct{} `minimal:"id,state" standard:"id,name,state,reason,stories_done,stories_total,cost_usd"`
	Version int      `json:"record_version"`
	ID      string   `json:"id" table:"RUN,strong"`
	Source  Source   `json:"source"`
	// Name is the name of the change.
	Name string `json:"name" table:"CHANGE"`
	// Path is the list of tasks, below the top of the repository; empty where no file of it has the stories.
	Path string `json:"path,omitempty"`
	// Origin is the source of the stories, an absolute path: a list of tasks, a file of issues, or the folder of the
	// project with the work items.
	Origin string `json:"origin"`
	// Dir is the folder in which it was started.
	Dir string `json:"dir"`
	// Worktree is the folder in its git worktree that has the place of Dir, Branch the branch there, and Base the
	// commit that it began with.
	Worktree string `json:"worktree"`
	Branch   string `json:"branch"`
	Base     string `json:"base_commit,omitempty"`
	// Ready is true once the worktree has the change and is set up.
	Ready bool `json:"ready"`
	// Backend works on the stories, on a stage: headless or panes. Session holds the panes.
	Backend string `json:"backend"`
	Model   string `json:"model,omitempty"`
	Stage   string `json:"stage"`
	Session string `json:"session,omitempty" names:"session"`
	Sandbox string `json:"sandbox,omitempty"`
	Limits  Limits `json:"guardrails"`
	// Verify are the commands that prove a story, and VerifyFrom says what named them: flags, settings, guess or none.
	Verify     []string   `json:"verify"`
	VerifyFrom VerifyFrom `json:"verify_from,omitempty"`
	// Setup are commands that run once in every new worktree.
	Setup []string `json:"setup"`
	// Squash makes one commit of all at the end.
	Squash bool `json:"squash"`
	// Learnings are the findings of agents for the later ones.
	Learnings []Learning `json:"learnings"`
	State     State      `json:"state" table:"STATE,word"`
	Reason    Reason     `json:"reason,omitempty" table:"WHY,dim"`
	// Stories are in the order in which they are worked on.
	Stories []Progress `json:"stories"`
	// Iterations counts the tries of all stories.
	Iterations int `json:"iterations"`
	// Used is the usage of all tries; nil where it is not known. CostUSD is their cost, as far as it is known.
	Used      *stream.Usage `json:"token_counts,omitempty"`
	CostUSD   float64       `json:"cost_usd" table:"COST"`
	CostKnown bool          `json:"cost_known"`
	// PID is the process that runs it, or did last.
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	// Ended is when it ended last; zero while it runs.
	Ended time.Time `json:"ended_at,omitzero"`
	// Until is when the usage limit resets that it waits for; zero while it waits for none.
	Until time.Time `json:"waits_until,omitzero"`
	// ElapsedMS is how long it ran, all runs together, in milliseconds.
	ElapsedMS int64     `json:"elapsed_ms"`
	Error     string    `json:"error,omitempty"`
	ErrorCode core.Code `json:"error_code,omitempty"`
}

// Step is the present step of a story.
type Step string

// The steps. A done story is proven and committed; a failed one needs the user.
const (
	Open      Step = "open"
	Working   Step = "working"
	Verifying Step = "verifying"
	Merging   Step = "merging"
	Done      Step = "done"
	GivenUp   Step = "failed"
)

// Progress is one story of a run.
type Progress struct {
	_     struct{} `minimal:"id,state" standard:"id,title,state,tasks_done,tasks_total,failure"`
	ID    string   `json:"id" table:"STORY,strong"`
	Title string   `json:"title" table:"TITLE,flex"`
	State Step     `json:"state" table:"STATE,word"`
	// Text is its text beside its tasks; only issues and work items have one.
	Text       string   `json:"text,omitempty"`
	After      []string `json:"depends_on"`
	TasksDone  int      `json:"tasks_done"`
	TasksTotal int      `json:"tasks_total"`
	// Tries are its tries, the oldest first.
	Tries []Try `json:"tries"`
	// Failure is why the last try failed; empty where it did not.
	Failure string `json:"failure,omitempty"`
	// Commit proves it, and Pending is the commit that is being put on a branch.
	Commit  string `json:"commit,omitempty"`
	Pending string `json:"pending_commit,omitempty"`
	// Worktree, Branch and Base belong to the story itself; empty where it is worked on in the run's.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_commit,omitempty"`
	// Unmerged is its commit that conflicts with other stories, until its worktree shows the conflict.
	Unmerged string `json:"unmerged_commit,omitempty"`
}

// NewProgress returns a story that has not started.
func NewProgress(id, title, text string, after []string) Progress {
	return Progress{
		ID: id, Title: title, State: Open, Text: text, After: append([]string{}, after...), Tries: []Try{},
	}
}

// ProgressOf returns a story of a list of tasks, as far as it is done.
func ProgressOf(s *Story) Progress {
	p := NewProgress(s.ID, s.Title, "", s.After)
	p.TasksDone, p.TasksTotal = s.TasksDone(), len(s.Tasks)
	if s.Complete() {
		p.State = Done
	}
	return p
}

// Try is one agent's work on a story.
type Try struct {
	_     struct{}  `minimal:"number,outcome" standard:"number,began_at,outcome,ticked,changed"`
	N     int       `json:"number"`
	Began time.Time `json:"began_at"`
	// Ended is zero before its end.
	Ended time.Time `json:"ended_at,omitzero"`
	// Ask is the relay, or the prompt in a pane, that asked the agent; Pane is that pane.
	Ask  string `json:"ask,omitempty"`
	Pane string `json:"pane,omitempty" names:"session"`
	// Answer is the agent's last message.
	Answer string `json:"answer_text,omitempty"`
	// Ticked counts the tasks that it ticked; Changed is true if any file differs after it.
	Ticked  int  `json:"ticked"`
	Changed bool `json:"changed"`
	// Content is the verified content, as a git tree; empty while none is.
	Content string `json:"content,omitempty"`
	// Checks are the verification commands that ran.
	Checks []Check `json:"checks"`
	// Outcome is empty before its end, then "proven" or "failed"; Failure says why.
	Outcome string `json:"outcome,omitempty"`
	Failure string `json:"failure,omitempty"`
	// Merge is true if the agent was asked to resolve a conflict.
	Merge     bool          `json:"merge,omitempty"`
	Used      *stream.Usage `json:"token_counts,omitempty"`
	CostUSD   float64       `json:"cost_usd"`
	CostKnown bool          `json:"cost_known"`
}

// The outcomes of a try.
const (
	Proven    = "proven"
	NotProven = "failed"
)

// Check is one verification command that ran.
type Check struct {
	_       struct{} `minimal:"command,passed" standard:"command,passed,exit_status,elapsed_ms"`
	Command string   `json:"command" names:"command-line"`
	Passed  bool     `json:"passed"`
	// Exit is its exit status; -1 where it was ended.
	Exit      int   `json:"exit_status"`
	ElapsedMS int64 `json:"elapsed_ms"`
	// Output is the end of what it printed.
	Output string `json:"output,omitempty"`
}

// Event is one line of a run's record. Fields that its type does not have are empty.
type Event struct {
	// Seq numbers the events of a run from 1.
	Seq  int64     `json:"seq"`
	Run  string    `json:"run"`
	Type EventType `json:"type"`
	At   time.Time `json:"at"`
	// Story and Try are its subject.
	Story string `json:"story,omitempty"`
	Try   int    `json:"try,omitempty"`
	Text  string `json:"text,omitempty"`
	// Command is a verification command, Passed its result, and Output the end of what it printed.
	Command string `json:"command,omitempty" names:"command-line"`
	Passed  *bool  `json:"passed,omitempty"`
	Output  string `json:"output,omitempty"`
	// Files are the files of a conflict or of a commit.
	Files  []string `json:"files,omitempty"`
	Commit string   `json:"commit,omitempty"`
	// Step is the present step of the story, Reason why the run ended.
	Step   Step      `json:"step,omitempty"`
	Reason Reason    `json:"reason,omitempty"`
	Code   core.Code `json:"error_code,omitempty"`
}

// EventType is the type of an event.
type EventType string

// The types of events.
const (
	RunStart     EventType = "story_run_start"
	RunEnd       EventType = "story_run_end"
	StoryStart   EventType = "story_start"
	StoryDone    EventType = "story_done"
	StoryGivenUp EventType = "story_failed"
	TryStart     EventType = "try_start"
	TryEnd       EventType = "try_end"
	Ticked       EventType = "task_done"
	Scope        EventType = "scope"
	Verified     EventType = "verify"
	Committed    EventType = "commit"
	Merged       EventType = "merge"
	Conflict     EventType = "conflict"
	Learned      EventType = "learning"
	Note         EventType = "note"
	Pause        EventType = "pause"
	Resume       EventType = "resume"
)

// newID returns an id for a run.
func newID() string {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// NewRun returns a run that has not started.
func NewRun(now time.Time) *Run {
	return &Run{
		Version: recordVersion, ID: newID(), State: Interrupted, Started: now.UTC(), CostKnown: true,
		Verify: []string{}, Setup: []string{}, Learnings: []Learning{}, Stories: []Progress{},
	}
}

// states are the states of runs on record in the words of all kinds.
var states = map[State]run.State{
	Running: run.Running, Paused: run.Paused, Completed: run.Done, Failed: run.NeedsYou, Stopped: run.Cancelled,
	Interrupted: run.Interrupted,
}

// Head summarises it without its stories. A run that ended before all stories were done needs the user.
func (r *Run) Head() run.Head {
	h := run.Head{
		ID: r.ID, Kind: run.Story, Name: r.Name, Title: r.Branch, Dir: r.Dir, State: states[r.State],
		Reason: string(r.Reason), Backend: r.Backend, Session: r.Session, PID: r.PID, Started: r.Started,
		Ended: r.Ended, CostUSD: r.CostUSD, CostKnown: r.CostKnown, Error: r.Error, ErrorCode: r.ErrorCode,
	}
	h.Done, h.Total = r.Counts()
	h.Until = h.State.Waits(r.Until)
	switch {
	case r.State == Interrupted && run.Begins(r.PID, r.Started):
		h.State = run.Pending
	case r.State == Failed && r.Reason == Error:
		h.State = run.Failed
	case r.State == Failed:
		h.Needs = needs[r.Reason]
	}
	return h
}

// needs say what the user has to decide about a run that ended for a reason.
var needs = map[Reason]string{
	Retries: "a look at the story that failed, or more tries", NoProgress: "a look at the story without progress",
	TimeLimit: "more time", Budget: "a larger budget", MaxIterations: "more tries", Conflicted: "a conflict resolved",
	Blocked: "an answer to the agent that is blocked",
}

// Trim drops the texts of the stories, and what was tried.
func (r *Run) Trim() {
	r.Learnings, r.Stories = []Learning{}, slices.Clone(r.Stories)
	for i := range r.Stories {
		r.Stories[i].Text, r.Stories[i].Tries = "", []Try{}
	}
}

// Valid returns an error for a record of a version that is not known.
func (r *Run) Valid() error { return run.Readable("a run of stories", r.Version, recordVersion) }

// Interrupt notes that its process ended without recording an end.
func (r *Run) Interrupt() {
	r.State, r.Reason = Interrupted, ""
	r.Error, r.ErrorCode = "its process ended before it did", core.Cancelled
}

// Cancel notes that it was cancelled.
func (r *Run) Cancel(at time.Time) { r.State, r.Reason, r.Ended = Stopped, StoppedBy, at }

// Story returns the progress of a story; nil if it is none of the run. It reads no more than the ids, which never
// change.
func (r *Run) Story(id string) *Progress {
	for i := range r.Stories {
		if r.Stories[i].ID == id {
			return &r.Stories[i]
		}
	}
	return nil
}

// IsOf reports whether it is over the same stories as another run.
func (r *Run) IsOf(source Source, origin string) bool {
	return r.Source == source && r.Origin == origin
}

// Counts returns how many stories are done, and how many there are.
func (r *Run) Counts() (done, total int) {
	for i := range r.Stories {
		if r.Stories[i].State == Done {
			done++
		}
	}
	return done, len(r.Stories)
}

// Tree returns the folder in which the story of a run is worked on.
func (p *Progress) Tree(r *Run) string { return cmp.Or(p.Worktree, r.Worktree) }

// Last returns the last try of a story; nil if there was none.
func (p *Progress) Last() *Try {
	if len(p.Tries) == 0 {
		return nil
	}
	return &p.Tries[len(p.Tries)-1]
}

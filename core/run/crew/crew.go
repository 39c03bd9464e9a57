// Package crew is several agents that work on one task and talk to each other: what a crew is, how
// its members are named and briefed, how their answers are read, and which guardrails end it.
//
// Time goes in turns. In turn 0 every member gets the task; in each later turn those that were
// written to get their messages and answer. An answer is plain text: lines that begin with
// "@name:" are messages, all others are notes (see Parse). A crew ends when no agent was written to,
// or at a guardrail.
//
// The package is pure: it starts nothing and keeps nothing. core/record/store keeps crews, and
// core/run/crew/conduct runs them.
package crew

import (
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
)

// State is how far a crew is.
type State string

// The states. A crew is interrupted if its process ended without recording an end.
const (
	Running     State = "running"
	Paused      State = "paused"
	Completed   State = "completed"
	Failed      State = "failed"
	Stopped     State = "stopped"
	Interrupted State = "interrupted"
)

// Ended reports whether no process runs a crew in this state.
func (s State) Ended() bool { return s != Running && s != Paused }

// Reason is why a crew ended, and the name of the guardrail that ended it.
type Reason string

// The reasons. Those from MaxTurns to Cost are guardrails.
const (
	Converged  Reason = "converged"
	MaxTurns   Reason = "max_turns"
	Timeout    Reason = "timeout"
	PingPong   Reason = "ping_pong"
	NoProgress Reason = "no_progress"
	Cost       Reason = "cost"
	StoppedBy  Reason = "stopped"
	AllDead    Reason = "all_dead"
	Error      Reason = "error"
)

// Guardrails that limit a message or a member, and end no crew.
const (
	MessageSize Reason = "message_size"
	AgentTurns  Reason = "agent_turns"
	DeadMember  Reason = "dead_member"
	UnknownName Reason = "unknown_name"
	UsageLimit  Reason = run.AtLimit
)

// State returns the state in which a crew ends for a reason.
func (r Reason) State() State {
	switch r {
	case StoppedBy:
		return Stopped
	case AllDead, Error:
		return Failed
	}
	return Completed
}

// Stage is where the members of a crew work.
type Stage string

// The stages: without a terminal, or in the panes of a session.
const (
	Headless Stage = "headless"
	Panes    Stage = "panes"
)

// The names that no member can have.
const (
	// All is everybody else, User who asked for the crew, System the crew itself.
	All    = "all"
	User   = "user"
	System = "crew"
)

// Crew is the record of one crew.
type Crew struct {
	ID string `json:"id,omitempty"`
	// Recipe is the name of the file that it came from; empty where it has none.
	Recipe string `json:"recipe,omitempty"`
	// Prompt is the task.
	Prompt string `json:"prompt"`
	// Dir is the directory that it is about.
	Dir string `json:"dir"`
	// Sandbox is the mode in which all members work; empty in panes, where each asks as its own settings say.
	Sandbox string `json:"sandbox,omitempty"`
	Stage   Stage  `json:"stage"`
	// Session holds the panes of the members; empty on the headless stage.
	Session string `json:"session,omitempty" names:"session"`
	// Worktrees is true if every member has a git worktree of its own.
	Worktrees bool  `json:"own_worktrees"`
	State     State `json:"state,omitempty"`
	// Reason is why it ended; empty while it has not.
	Reason Reason `json:"reason,omitempty"`
	// Turn is the last turn that began; -1 before the first.
	Turn   int    `json:"turn"`
	Limits Limits `json:"guardrails"`
	// Started is when it began, Ended when it ended last; zero while it runs.
	Started time.Time `json:"started_at,omitzero"`
	Ended   time.Time `json:"ended_at,omitzero"`
	// Until is when the usage limit resets that it waits for; zero while it waits for none.
	Until time.Time `json:"waits_until,omitzero"`
	// ElapsedMS is how long it ran, all runs together, in milliseconds.
	ElapsedMS int64     `json:"elapsed_ms"`
	Error     string    `json:"error,omitempty"`
	ErrorCode core.Code `json:"error_code,omitempty"`
	// Members are in the order in which they were named.
	Members []Member `json:"agents"`
}

// Status is the activity of a member.
type Status string

// The states of a member. A dead one failed and is asked no more until the crew is resumed.
const (
	Idle   Status = "idle"
	Active Status = "active"
	Dead   Status = "dead"
)

// Member is one agent of a crew.
type Member struct {
	_       struct{} `minimal:"name,status" standard:"name,backend,model,status,turn_count,message_count,cost_usd,error"`
	Name    string   `json:"name" table:"AGENT,strong"`
	Backend string   `json:"backend" table:"BACKEND"`
	Model   string   `json:"model,omitempty" table:"MODEL,dim"`
	// ModelUsed is the model that answered last, as the backend says; empty where it does not.
	ModelUsed string `json:"model_used,omitempty"`
	// Brief is the task of the member; empty is the task of its role.
	Brief string `json:"brief,omitempty"`
	// Dir is where it works.
	Dir string `json:"dir"`
	// Env are variables that it is started with, as NAME=VALUE; they are not on record.
	Env []string `json:"-"`
	// Session is the backend's id of the conversation, or the member's pane ("SESSION.N").
	Session string `json:"backend_session,omitempty"`
	Status  Status `json:"status" table:"STATE,word"`
	// Turns counts the turns that it answered, Messages what it wrote to others.
	Turns    int `json:"turn_count" table:"TURNS"`
	Messages int `json:"message_count" table:"MESSAGES"`
	// Used is the usage of all its turns; nil where it is not known.
	Used *stream.Usage `json:"token_counts,omitempty"`
	// CostUSD is their cost, as far as it is known; CostKnown is false if some cost is not.
	CostUSD   float64   `json:"cost_usd" table:"COST"`
	CostKnown bool      `json:"cost_known"`
	Error     string    `json:"error,omitempty" table:"WHAT,dim,flex"`
	ErrorCode core.Code `json:"error_code,omitempty"`
}

// Role is the part of a member's name behind the first dot.
func (m *Member) Role() string { return roleOf(m.Name) }

// states are the states of crews on record in the words of all kinds.
var states = map[State]run.State{
	Running: run.Running, Paused: run.Paused, Completed: run.Done, Failed: run.Failed, Stopped: run.Cancelled,
	Interrupted: run.Interrupted,
}

// Head summarises it without its agents. One that a guardrail ended needs the user.
func (c *Crew) Head() run.Head {
	h := run.Head{
		ID: c.ID, Kind: run.Crew, Name: c.Recipe, Title: run.Title(c.Prompt), Dir: c.Dir, State: states[c.State],
		Reason: string(c.Reason), Backend: strings.Join(c.backends(), " "), Session: c.Session,
		Done: max(0, c.Turn), Total: c.Limits.MaxTurns, Started: c.Started, Ended: c.Ended,
		Error: c.Error, ErrorCode: c.ErrorCode,
	}
	h.CostUSD, h.CostKnown = c.CostUSD()
	h.Until = h.State.Waits(c.Until)
	switch {
	case c.State == Interrupted && c.Turn < 0 && run.Begins(0, c.Started):
		h.State = run.Pending
	case c.State == Completed && c.Reason != Converged:
		h.State, h.Needs = run.NeedsYou, needs[c.Reason]
	}
	return h
}

// needs say what the user has to decide about a crew that a guardrail ended.
var needs = map[Reason]string{
	MaxTurns: "more turns", Timeout: "more time", Cost: "a larger budget",
	PingPong: "a word to the agents that repeat themselves", NoProgress: "a word to the agents without progress",
}

// backends returns the backends of the members, each once.
func (c *Crew) backends() []string {
	var all []string
	for i := range c.Members {
		if !slices.Contains(all, c.Members[i].Backend) {
			all = append(all, c.Members[i].Backend)
		}
	}
	return all
}

// Member returns the member with a name; nil if there is none.
func (c *Crew) Member(name string) *Member {
	if i := slices.IndexFunc(c.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &c.Members[i]
	}
	return nil
}

// Names are the names of the members.
func (c *Crew) Names() []string {
	return core.Map(c.Members, func(m Member) string { return m.Name })
}

// CostUSD returns the cost of all members, as far as it is known; known is false if some cost is not.
func (c *Crew) CostUSD() (sum float64, known bool) {
	known = true
	for i := range c.Members {
		sum += c.Members[i].CostUSD
		known = known && c.Members[i].CostKnown
	}
	return sum, known
}

// AllDead reports whether no member can be asked.
func (c *Crew) AllDead() bool {
	return !slices.ContainsFunc(c.Members, func(m Member) bool { return m.Status != Dead })
}

// Type is the type of a crew's event.
type Type string

// The types of events.
const (
	// Start and End are the start and the end of a run; a resumed one starts again.
	Start Type = "crew_start"
	End   Type = "crew_end"
	// Task is the prompt that all members begin with.
	Task Type = "task"
	// Message is a text from one to another, and Note one without an address.
	Message Type = "message"
	Note    Type = "note"
	// StatusChanged says what a member does now.
	StatusChanged Type = "agent_status"
	TurnComplete  Type = "turn_complete"
	Guardrail     Type = "guardrail"
	Failure       Type = "error"
	Pause         Type = "pause"
	Resume        Type = "resume"
)

// Event is one line of a crew's record. Fields that its type does not have are empty.
type Event struct {
	// Seq numbers the events of all crews, in the order in which they were recorded.
	Seq int64 `json:"seq"`
	// Crew is the id of the crew.
	Crew string    `json:"crew"`
	Type Type      `json:"type"`
	Turn int       `json:"turn"`
	At   time.Time `json:"at"`
	// From is who wrote it, or the member that it is about; To is a member, "all" or "user".
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Text string `json:"text,omitempty"`
	// Status is the member's, Reason a guardrail or why the crew ended.
	Status Status `json:"status,omitempty"`
	Reason Reason `json:"reason,omitempty"`
	// Pending counts the messages that wait for the next turn.
	Pending int       `json:"pending_count,omitempty"`
	Code    core.Code `json:"error_code,omitempty"`

	// Recipients are the members that the message waits for.
	Recipients []string `json:"-"`
}

// Delivery is a message on its way to one member.
type Delivery struct {
	// Seq is the number of the message's event.
	Seq  int64
	To   string
	From string
	Text string
	// Turn is the turn in which it was delivered, or Waiting or Returned.
	Turn int
}

// What the turn of a delivery is before it was delivered, and if it never can be.
const (
	Waiting  = -1
	Returned = -2
)

// AskState is how far the turn of one member is.
type AskState string

// The states. An answer is routed once its messages are on record.
const (
	Open     AskState = "open"
	Answered AskState = "answered"
	Routed   AskState = "routed"
	Broken   AskState = "failed"
)

// Ask is one member's turn.
type Ask struct {
	Turn   int
	Member string
	// Prompt is the prompt of the member, Answer its answer.
	Prompt string
	Answer string
	State  AskState
	// Relay is the relay that asked it; empty in panes and before it began.
	Relay          string
	Started, Ended time.Time
}

// Step is one change: it is recorded whole or not at all.
type Step struct {
	// Crew is the crew after it. Members that are not changed are left out of Members.
	Crew    *Crew
	Members []*Member
	// Events are added in their order, and get their numbers.
	Events []Event
	// Asks are added or replaced.
	Asks []*Ask
	// Taken are the messages that are delivered, each in its Turn.
	Taken []Delivery
}

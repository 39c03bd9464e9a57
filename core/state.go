package core

import (
	"slices"
	"time"
)

// State is the state of a pane's agent at one moment.
type State string

// The states; there are no others. An agent is Unknown if no signal decides its state.
const (
	Unknown  State = "unknown"
	Starting State = "starting"
	Idle     State = "idle"
	Working  State = "working"
	Waiting  State = "waiting"
	Limited  State = "limited"
	Errored  State = "error"
	Exited   State = "exited"
)

// Done is how an idle agent with NoteDone is shown and asked for. No status has it.
const Done State = "done"

// States lists every state in the order in which counts are shown; ShownStates has Done, too.
var (
	States      = []State{Working, Waiting, Idle, Limited, Errored, Starting, Exited, Unknown}
	ShownStates = []State{Working, Waiting, Done, Idle, Limited, Errored, Starting, Exited, Unknown}
)

// Reason is the reason why an agent is in its state. The zero value means that the reason is not
// known, or that the state has none.
type Reason string

// The reasons; reasonsOf says which state each belongs to.
const (
	ReasonApproval  Reason = "approval"
	ReasonQuestion  Reason = "question"
	ReasonPlan      Reason = "plan"
	ReasonTrust     Reason = "trust"
	ReasonLogin     Reason = "login"
	ReasonDialog    Reason = "dialog"
	ReasonRateLimit Reason = "rate_limit"
	ReasonQuota     Reason = "quota"
	ReasonAuth      Reason = "auth"
	ReasonBilling   Reason = "billing"
	ReasonServer    Reason = "server"
	ReasonOther     Reason = "other"
	ReasonFinished  Reason = "finished"
	ReasonFailed    Reason = "failed"
	ReasonKilled    Reason = "killed"
	// ReasonSetup means that the set-up of the agent's worktree runs or, of an exited agent, has failed.
	ReasonSetup      Reason = "setup"
	ReasonThinking   Reason = "thinking"
	ReasonStreaming  Reason = "streaming"
	ReasonTool       Reason = "tool"
	ReasonCompacting Reason = "compacting"
	// ReasonAsked means that the agent was given a prompt and has not shown yet what it does with it.
	ReasonAsked Reason = "asked"
)

// SetupWord is the first word of this program where it sets the worktree of its folder up, and then becomes the program
// that the rest of the words name.
const SetupWord = "setup-worktree"

// SetupFailed is the exit status of a pane whose worktree could not be set up, so that its agent was not started.
const SetupFailed = 117

var reasonsOf = map[State][]Reason{
	Waiting:  {ReasonApproval, ReasonQuestion, ReasonPlan, ReasonTrust, ReasonLogin, ReasonDialog},
	Limited:  {ReasonRateLimit, ReasonQuota},
	Errored:  {ReasonAuth, ReasonBilling, ReasonServer, ReasonOther},
	Exited:   {ReasonFinished, ReasonFailed, ReasonKilled, ReasonSetup},
	Starting: {ReasonSetup},
	Working:  {ReasonThinking, ReasonStreaming, ReasonTool, ReasonCompacting, ReasonAsked},
}

// Awaited returns what a waiting agent waits for, as a phrase that follows "waits for".
func (r Reason) Awaited() string {
	switch r {
	case ReasonApproval:
		return "an approval"
	case ReasonQuestion:
		return "an answer"
	case ReasonPlan:
		return "its plan to be approved"
	case ReasonTrust:
		return "its folder to be trusted"
	case ReasonLogin:
		return "a login"
	case ReasonDialog:
		return "its dialog to be answered"
	}
	return "the user"
}

// sentences say what reasons mean.
var sentences = map[Reason]string{
	ReasonApproval: "waits for an approval", ReasonQuestion: "asks a question", ReasonPlan: "has a plan to approve",
	ReasonTrust: "asks whether to trust its folder", ReasonLogin: "waits for a login", ReasonDialog: "shows a dialog",
	ReasonRateLimit: "is rate limited", ReasonQuota: "has used up its quota", ReasonAuth: "failed to log in",
	ReasonBilling: "has a billing error", ReasonServer: "has a server error", ReasonOther: "shows an error",
	ReasonFinished: "has finished", ReasonFailed: "has failed", ReasonKilled: "was killed",
	ReasonThinking: "thinks", ReasonStreaming: "writes its answer", ReasonTool: "runs a tool",
	ReasonSetup: "sets its worktree up", ReasonCompacting: "compacts its context", ReasonAsked: "was given a prompt",
}

// Sentence says what a reason means, as a phrase that follows the agent's name; empty for no reason.
func (r Reason) Sentence() string { return sentences[r] }

// ReasonsOf returns the reasons that a state can have, in a fixed order. The
// caller must not change the slice.
func ReasonsOf(s State) []Reason { return reasonsOf[s] }

// Note is something that is true besides the state.
type Note string

// The notes.
const (
	NoteDraft       Note = "draft"
	NoteQueued      Note = "queued"
	NoteRetrying    Note = "retrying"
	NoteSubagents   Note = "subagents"
	NoteContextLow  Note = "context_low"
	NoteInterrupted Note = "interrupted"
	// NoteBackground means that the agent's turn has ended while something that it started runs on.
	NoteBackground Note = "background"
	// NoteUnreadable marks an unknown state that has lasted for some seconds: the screen may be a dialog that no rule
	// knows.
	NoteUnreadable Note = "unreadable"
	// NoteDone marks an idle agent whose last turn ended, and was not looked at since.
	NoteDone Note = "done"
)

var noteWords = map[Note]string{
	NoteDraft: "draft typed", NoteQueued: "prompt queued", NoteRetrying: "retrying", NoteSubagents: "subagents work",
	NoteContextLow: "context low", NoteInterrupted: "interrupted", NoteBackground: "work in the background",
	NoteUnreadable: "screen not understood", NoteDone: "done",
}

// Words says what a note means, in a few words.
func (n Note) Words() string { return noteWords[n] }

// Status is a state with its reason, notes and evidence.
type Status struct {
	State  State  `json:"state"`
	Reason Reason `json:"reason,omitempty"`
	// Since is when the state began; the zero time where that is not known.
	Since time.Time `json:"since,omitzero"`
	Notes []Note    `json:"notes,omitempty"`
	// Asks is the subject of the open dialog, in one line of the agent's own words: the command, the file or the
	// question. It is empty if no dialog is on the screen.
	Asks string `json:"asks,omitempty"`
	// Said is the first line of the agent's last reply, while it has NoteDone; empty if that is not known.
	Said string `json:"said,omitempty"`
	// Evidence names the signals that decided, strongest first.
	Evidence []string `json:"evidence,omitempty"`
	// Confidence is how sure the evidence makes the state, from 0 to 1; zero where
	// no signal decided.
	Confidence float64 `json:"confidence,omitempty"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
}

// Has reports whether the status has a note.
func (s Status) Has(note Note) bool { return slices.Contains(s.Notes, note) }

// Shown is the state as people see it: Done in place of Idle where the agent has that note.
func (s Status) Shown() State {
	if s.State == Idle && s.Has(NoteDone) {
		return Done
	}
	return s.State
}

// AsksAnew reports whether the agent asks about something else than in another status. It
// returns false if either is not known.
func (s Status) AsksAnew(other Status) bool {
	return s.Asks != other.Asks && s.Asks != "" && other.Asks != ""
}

// Same reports whether two statuses are equal, apart from their times and evidence.
func (s Status) Same(other Status) bool {
	if s.State != other.State || s.Reason != other.Reason || s.AsksAnew(other) || len(s.Notes) != len(other.Notes) {
		return false
	}
	for i, note := range s.Notes {
		if other.Notes[i] != note {
			return false
		}
	}
	return true
}

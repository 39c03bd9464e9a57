package detect

import (
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// Facts are the facts known about a pane that holds an agent. A zero field means unknown.
type Facts struct {
	// Now is the time for which to judge.
	Now time.Time
	// Kind is the kind of the program in the pane; nil for programs without rules.
	Kind    *agent.Kind
	Process core.Process
	// Gone is true if the agent has ended and left the pane to a shell.
	Gone bool
	// SettingUp is true while the set-up of the agent's worktree runs in the pane.
	SettingUp bool
	// Started is when Cupola started the agent. Ready is true if its prompt was seen since
	// then.
	Started time.Time
	Ready   bool
	Title   string
	// Screen is the screen of the pane; nil if it was not captured.
	Screen *core.Screen
	// Findings are the findings of the kind's rules on Screen; if nil, Judge applies the rules to Screen.
	Findings *Findings
	// ProgramStatus is the status that the program reported to its terminal; nil if it reported none, or the terminal
	// does not receive it.
	ProgramStatus *ProgramStatus
	// Hook is the last edge that the agent's hooks reported.
	Hook *Hook
	// Live is the agent's own live-status file; nil if there is none.
	Live *Live
	// Asked is when the agent was last given a prompt, Acted when it was last seen to work, to wait, or to have ended a
	// turn; zero if unknown.
	Asked, Acted time.Time
	// Dialog is when a screen last showed one.
	Dialog time.Time
	// Moved is when the screen last changed.
	Moved time.Time
	// Kept is the state that the keeper recorded for a program without rules; empty without
	// a keeper.
	Kept core.State
	// Before is the previous status; QuietSince and OtherSince are taken from the previous Verdict. In the first call,
	// QuietSince may be the time since which the screen has not changed. Follows is true for callers that judge again
	// at Verdict.Until. Only for them does an agent stay working until it has been quiet for a while.
	Before     core.Status
	QuietSince time.Time
	OtherSince time.Time
	Follows    bool
}

// Hook is a state change that an agent's own hook reported.
type Hook struct {
	// Event is the agent's name for it.
	Event   string
	State   core.State
	Reason  core.Reason
	Notes   []core.Note
	At      time.Time
	Session string
	// Asks is the question to the user, where the hook has it.
	Asks string
	// Command is the whole command that the agent asks to run, and Description what it says about it; empty where the
	// hook does not have them.
	Command, Description string
	// Kind, PID and Start name the agent process that sent it, as process.Proc does; zero if it is not known.
	Kind  core.Kind
	PID   int
	Start uint64
}

// Live is the content of an agent's live-status file.
type Live struct {
	State   core.State
	Reason  core.Reason
	Notes   []core.Note
	At      time.Time
	Session string
	// Line is the line of the file that contains the status.
	Line string
}

// Source is where a signal comes from.
type Source string

// The sources, strongest first.
const (
	FromProcess  Source = "process"
	FromStatus   Source = "program-status"
	FromHook     Source = "hook"
	FromLive     Source = "live-status"
	FromTitle    Source = "title"
	FromScreen   Source = "screen"
	FromMovement Source = "movement"
	FromPrompt   Source = "prompt"
)

// Signal is one observation and what it claims.
type Signal struct {
	Source Source `json:"source"`
	// Rule names the rule, hook event or field that matched.
	Rule string `json:"rule"`
	// Line is the text that matched; empty if there is none.
	Line   string      `json:"line,omitempty"`
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason,omitempty"`
	Notes  []core.Note `json:"notes"`
	// Age is how long ago it was observed, in seconds.
	Age float64 `json:"age_s"`
	// Decided is true for the signals that decided the state.
	Decided bool `json:"decided"`
	// Dialog is true if the signal comes from the end of a screen without a composer.
	Dialog bool `json:"dialog,omitempty"`
}

// reported reports whether the agent itself reported the state, other than on its screen or in its title.
func (s *Signal) reported() bool {
	return s.State != "" && (s.Source == FromHook || s.Source == FromLive || s.Source == FromStatus)
}

// Verdict is a status with every signal that was weighed, strongest first.
type Verdict struct {
	core.Status
	Signals []Signal
	// Until is when the verdict may change although nothing happens; zero if never.
	Until time.Time
	// QuietSince is the time since which the screen of a working agent has shown no work;
	// zero if it shows work. The caller passes it on in the next Facts.
	QuietSince time.Time
	// OtherSince is the time since which a working agent has shown other reasons than the
	// reported one, which stays for a while so that it does not flicker. The caller passes
	// it on in the next Facts.
	OtherSince time.Time
}

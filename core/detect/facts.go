package detect

import (
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// Facts is what is known of a pane that holds an agent. What is not known is
// zero.
type Facts struct {
	// Now is the moment for which to judge.
	Now time.Time
	// Kind is what runs in the pane; nil for programs without rules.
	Kind    *agent.Kind
	Process core.Process
	// Gone is true where the agent has ended and left the pane to a shell.
	Gone bool
	// Started is when Cupola started the agent, Ready whether its prompt was seen
	// since.
	Started time.Time
	Ready   bool
	Title   string
	// Screen is what the pane shows; nil where it was not read.
	Screen *core.Screen
	// Findings is what the kind's rules find there; nil has them read Screen.
	Findings *Findings
	// Hook is the last edge that the agent's hooks reported.
	Hook *Hook
	// Live is what the agent says of itself in a file of its own.
	Live *Live
	// Dialog is when a screen last showed one.
	Dialog time.Time
	// Moved is when the screen last changed.
	Moved time.Time
	// Kept is the state that a process which polls has found for a program without
	// rules; empty where none polls.
	Kept core.State
	// Before is what was judged last, QuietSince and OtherSince what that Verdict says of it. At
	// first QuietSince may be since when the screen has not changed.
	// Follows is true for those who judge again at Verdict.Until: only they are
	// told to wait until an agent counts as idle.
	Before     core.Status
	QuietSince time.Time
	OtherSince time.Time
	Follows    bool
}

// Hook is an edge that an agent's own hook reported.
type Hook struct {
	// Event is the agent's name for it.
	Event   string
	State   core.State
	Reason  core.Reason
	Notes   []core.Note
	At      time.Time
	Session string
}

// Live is what an agent's live-status file says.
type Live struct {
	State   core.State
	Reason  core.Reason
	At      time.Time
	Session string
	// Line is the part of the file that says so.
	Line string
}

// Source is where a signal comes from.
type Source string

// The sources, strongest first.
const (
	FromProcess  Source = "process"
	FromHook     Source = "hook"
	FromLive     Source = "live-status"
	FromTitle    Source = "title"
	FromScreen   Source = "screen"
	FromMovement Source = "movement"
)

// Signal is one observation and what it claims.
type Signal struct {
	Source Source `json:"source"`
	// Rule names the rule, hook event or field that matched.
	Rule string `json:"rule"`
	// Line is the text that shows it; empty where there is none.
	Line   string      `json:"line,omitempty"`
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason,omitempty"`
	Notes  []core.Note `json:"notes"`
	// Age is how long ago it was observed, in seconds.
	Age float64 `json:"age_s"`
	// Decided is true for the signals that made the state.
	Decided bool `json:"decided"`
	// Dialog is true where what shows it is the end of a screen without a composer.
	Dialog bool `json:"dialog,omitempty"`
}

// Verdict is a status with every signal that was weighed, strongest first.
type Verdict struct {
	core.Status
	Signals []Signal
	// Until is when the verdict may change although nothing happens; zero if never.
	Until time.Time
	// QuietSince is since when screens have shown no work of an agent that worked; the
	// next Facts want to know it.
	QuietSince time.Time
	// OtherSince is since when an agent that works has given other reasons than the one
	// that is kept; the next Facts want to know it.
	OtherSince time.Time
}

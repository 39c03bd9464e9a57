package stream

import "cupola/core"

// Type is the type of an event.
type Type string

// The types. Done or Failed is the last event of a stream, and no other is.
const (
	Started  Type = "started"
	Text     Type = "text"
	Tool     Type = "tool"
	Used     Type = "usage"
	Retrying Type = "retry"
	Warning  Type = "warning"
	// Call is a call of a panel that has started or ended.
	Call   Type = "call"
	Done   Type = "done"
	Failed Type = "failed"
)

// StopReason is why an answer ended.
type StopReason string

// The reasons; an empty one is not known.
const (
	// StopEnd: the model had nothing more to say.
	StopEnd StopReason = "end"
	// StopLength: the answer reached the longest that the model gives.
	StopLength StopReason = "max_tokens"
	// StopTurns and StopBudget: a limit of the backend's own was reached.
	StopTurns  StopReason = "max_turns"
	StopBudget StopReason = "budget"
	// StopRefusal: the model declined to answer.
	StopRefusal StopReason = "refusal"
	// StopTool: the run ended at a tool that was not allowed.
	StopTool StopReason = "tool_refused"
	// StopInterrupt: the backend was interrupted.
	StopInterrupt StopReason = "interrupted"
)

// Event is one step of an answer. Fields that its type does not have are empty.
type Event struct {
	Type Type `json:"type"`
	// Text is a piece of the answer of a Text event; what a tool was asked for, why a try failed,
	// what the warning is, or why the run failed.
	Text string `json:"text,omitempty"`
	// Message counts the messages of the model from 1; pieces of one message have the same number.
	Message int `json:"message_number,omitempty"`
	// Tool is the name of a tool, or a call of a panel, and Status one of "started", "completed" and "failed".
	Tool   string `json:"tool,omitempty"`
	Status string `json:"status,omitempty"`
	// Model is the model that answers, and Session the backend's id of the conversation.
	Model   string `json:"model,omitempty"`
	Session string `json:"backend_session,omitempty"`
	// Usage is the usage since the start of the run.
	Usage *Usage     `json:"token_counts,omitempty"`
	Stop  StopReason `json:"stop_reason,omitempty"`
	// Code is the error code of a failure that the backend describes; empty where it does not.
	Code core.Code `json:"error_code,omitempty"`
}

// Usage is the usage of an answer, in tokens.
type Usage struct {
	// Input was not in the provider's cache; CacheRead was, and CacheWrite was put into it.
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	// Output includes Reasoning.
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_tokens"`
	// CostUSD is the backend's own figure in USD; nil where it gives none.
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Total is the number of all tokens.
func (u *Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Add adds what another part of the run used.
func (u *Usage) Add(part *Usage) {
	u.Input += part.Input
	u.CacheRead += part.CacheRead
	u.CacheWrite += part.CacheWrite
	u.Output += part.Output
	u.Reasoning += part.Reasoning
	if part.CostUSD == nil {
		return
	}
	sum := *part.CostUSD
	if u.CostUSD != nil {
		sum += *u.CostUSD
	}
	u.CostUSD = &sum
}

// Since returns what was used since earlier, where both count from the same start; u itself if less
// was used than earlier, so that the count began anew.
func (u *Usage) Since(earlier *Usage) *Usage {
	if u == nil || earlier == nil || u.Total() < earlier.Total() {
		return u
	}
	since := *u
	since.Input -= earlier.Input
	since.CacheRead -= earlier.CacheRead
	since.CacheWrite -= earlier.CacheWrite
	since.Output -= earlier.Output
	since.Reasoning -= earlier.Reasoning
	if u.CostUSD != nil && earlier.CostUSD != nil && *u.CostUSD >= *earlier.CostUSD {
		cost := *u.CostUSD - *earlier.CostUSD
		since.CostUSD = &cost
	}
	return &since
}

// End holds the facts about the end of the backend's output.
type End struct {
	// Exit is the exit status of a program; -1 where it was killed, and for servers.
	Exit int
	// Signal is the name of the signal that killed the program, Stderr the end of its standard error.
	Signal, Stderr string
	// Left describes the processes of a program that it left behind and that could not be ended.
	Left []string
}

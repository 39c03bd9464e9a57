package acp

import "cupola/core/system/process/child"

// Type is the type of an event.
type Type string

// The types. Opened is the first event of a client, with the id of the session as its text, and Gone the last. What is
// replayed comes before Opened.
const (
	Opened Type = "opened"
	// Queued, Sent and Taken are the steps of a prompt: it waits for the running turn, was written to the agent, and
	// the agent has shown that it works on it.
	Queued Type = "queued"
	Sent   Type = "sent"
	Taken  Type = "taken"
	// Said, Thought and Asked are pieces of a message of the agent, of its thoughts, and of a prompt that it repeats.
	Said    Type = "said"
	Thought Type = "thought"
	Asked   Type = "asked"
	// Called says that a tool call began or changed.
	Called Type = "called"
	// Permission says that the agent waits for an answer, Settled that it no longer does.
	Permission Type = "permission"
	Settled    Type = "settled"
	Planned    Type = "planned"
	Commanded  Type = "commands"
	// Moded says that the mode, the model or another setting of the session changed.
	Moded  Type = "settings"
	Titled Type = "title"
	Used   Type = "usage"
	// Notice is something that the agent reported and that has no other type, or a fault of the agent.
	Notice Type = "notice"
	// Ended says that a turn ended. Err is set if it failed.
	Ended Type = "ended"
	Gone  Type = "gone"
)

// Event is one step of a conversation. Fields that its type does not have are empty. Texts of messages are as the
// agent sent them, and must be made safe before they are shown; all others are safe.
type Event struct {
	Type Type   `json:"type"`
	Text string `json:"text,omitempty"`
	// Message is the agent's id of a message; empty where it gives none.
	Message string `json:"message,omitempty"`
	// Prompt is the number of a prompt, counted from 1.
	Prompt   int       `json:"prompt,omitempty"`
	Call     *Call     `json:"call,omitempty"`
	Ask      *Ask      `json:"ask,omitempty"`
	Plan     []Step    `json:"plan,omitempty"`
	Commands []Command `json:"commands,omitempty"`
	Settings []Setting `json:"settings,omitempty"`
	Usage    *Usage    `json:"usage,omitempty"`
	Stop     Stop      `json:"stop,omitempty"`
	Err      *Failure  `json:"failure,omitempty"`
	// Replayed is true for what was said before the conversation was taken up.
	Replayed bool `json:"replayed,omitempty"`
}

// Stop is why a turn ended, in the words of the protocol.
type Stop string

// The reasons. Lost means that the agent ended in the middle of the turn.
const (
	EndTurn   Stop = "end_turn"
	MaxTokens Stop = "max_tokens"
	MaxTurns  Stop = "max_turn_requests"
	Refusal   Stop = "refusal"
	Cancelled Stop = "cancelled"
	Lost      Stop = "lost"
)

// Failure is why a turn failed or an agent could not be used.
type Failure struct {
	Text string `json:"text"`
	// Code is the code of a JSON-RPC error, or 0.
	Code int `json:"code,omitempty"`
	// End is how the agent's process ended; nil while it runs.
	End *child.End `json:"end,omitempty"`
}

// Error returns the text.
func (f *Failure) Error() string { return f.Text }

// CallStatus is the status of a tool call.
type CallStatus string

// The statuses. Dropped is the status of a call that was open when its turn ended.
const (
	Pending   CallStatus = "pending"
	Running   CallStatus = "in_progress"
	Completed CallStatus = "completed"
	Failed    CallStatus = "failed"
	Dropped   CallStatus = "dropped"
)

// Open reports whether a call has not ended.
func (s CallStatus) Open() bool { return s == Pending || s == Running }

// Call is a tool call, with all that is known of it.
type Call struct {
	ID string `json:"id"`
	// Kind is one of read, edit, delete, move, search, execute, think, fetch, switch_mode and other.
	Kind   string     `json:"kind"`
	Title  string     `json:"title"`
	Status CallStatus `json:"status"`
	// Command is the executed command, where the agent says it apart from the title.
	Command string `json:"command,omitempty"`
	// Exact is true if Command is all that is executed, as the agent sent it.
	Exact bool     `json:"exact,omitempty"`
	Paths []string `json:"paths,omitempty"`
	// Output is the tool's result, or its printed text.
	Output string `json:"output,omitempty"`
	Diffs  []Diff `json:"diffs,omitempty"`
}

// Diff is a change of one file. Old is empty for a new file.
type Diff struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new"`
}

// Ask is a request for permission.
type Ask struct {
	// Key identifies the request in this client.
	Key     string   `json:"key"`
	Call    Call     `json:"call"`
	Options []Option `json:"options"`
}

// Option is an answer that the agent offers.
type Option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is one of allow_once, allow_always, reject_once and reject_always; another one is kept as it is.
	Kind string `json:"kind"`
}

// Step is an entry of a plan.
type Step struct {
	Text     string `json:"text"`
	Status   string `json:"status"`
	Priority string `json:"priority,omitempty"`
}

// Command is a slash command of the agent.
type Command struct {
	Name string `json:"name"`
	Help string `json:"help,omitempty"`
	// Hint describes its argument; empty if it takes none.
	Hint string `json:"hint,omitempty"`
}

// Setting is a choice of the session: its mode, its model or another one.
type Setting struct {
	// ID is the agent's id of the setting; SettingMode and SettingModel name those that the protocol has a method for.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Category is "mode", "model", "thought_level" or another word of the agent.
	Category string   `json:"category,omitempty"`
	Value    string   `json:"value"`
	Values   []Choice `json:"values"`
	// method is the method that sets it; empty for session/set_config_option.
	method string
}

// Choice is a value of a setting.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Help string `json:"help,omitempty"`
}

// The categories of settings that Cupola sets itself.
const (
	ModeSetting  = "mode"
	ModelSetting = "model"
)

// Usage counts what a turn or a session used. Fields that the agent does not report are zero.
type Usage struct {
	// Window is how many tokens are in the context now, and Size how many it holds.
	Window int64 `json:"window,omitempty"`
	Size   int64 `json:"size,omitempty"`
	// Input, CacheRead, CacheWrite, Output and Thought are tokens of the turn or, with some agents, of the session.
	Input      int64 `json:"input,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output,omitempty"`
	Thought    int64 `json:"thought,omitempty"`
	// CostUSD is the cost of the session in USD; nil where the agent reports none.
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Model   string   `json:"model,omitempty"`
}

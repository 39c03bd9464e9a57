package crew

import (
	"encoding/json"
	"slices"
	"time"
)

// Limits are the guardrails of a crew, and a section of the settings. Zero sets no limit, but for
// MaxTurns and Timeout.
type Limits struct {
	// MaxTurns is how many turns follow turn 0.
	MaxTurns int `json:"max_turns" toml:"max_turns" doc:"How many turns a crew may take after its first"`
	// Timeout is how long one run of the crew takes, and TurnTimeout how long one answer.
	Timeout     time.Duration `json:"timeout_ms" toml:"timeout" doc:"How long a crew may take"`
	TurnTimeout time.Duration `json:"turn_timeout_ms" toml:"turn_timeout" doc:"How long one answer of an agent of a crew may take; 0 is as long as the crew"`
	// PingPong is for how many turns two members may be the only ones that talk.
	PingPong int `json:"ping_pong" toml:"ping_pong" doc:"For how many turns two agents of a crew may talk to each other alone; 0 is for ever"`
	// NoProgress is how many turns in which nobody says anything new end the crew.
	NoProgress int `json:"no_progress" toml:"no_progress" doc:"After how many turns in which no agent says anything new a crew ends; 0 is never"`
	// MessageBytes is how much of a message is delivered.
	MessageBytes int `json:"message_bytes" toml:"message_bytes" doc:"How many bytes of one message are delivered; 0 is all"`
	// AgentTurns is how many turns in a row a member gets while others wait.
	AgentTurns int `json:"agent_turns" toml:"agent_turns" doc:"How many turns in a row an agent gets while others wait; 0 is any number"`
	// CostUSD is how much all members may cost.
	CostUSD float64 `json:"max_cost_usd" toml:"max_cost_usd" doc:"How much a crew may cost, in USD; 0 is any amount"`
}

// DefaultLimits are the limits where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		MaxTurns: 20, Timeout: 15 * time.Minute, TurnTimeout: 10 * time.Minute, PingPong: 6, NoProgress: 2,
		MessageBytes: 50_000, AgentTurns: 3,
	}
}

// promptBytes is how much one prompt has of messages. A relay takes more, for what is between them.
const promptBytes = 400_000

// Room is how many bytes of each message one prompt has room for: MessageBytes, or less if the messages are too
// much together. The longest are cut first.
func (l *Limits) Room(messages []Delivery) int {
	sizes := make([]int, len(messages))
	for i := range messages {
		sizes[i] = len(messages[i].Text)
		if l.MessageBytes > 0 {
			sizes[i] = min(sizes[i], l.MessageBytes)
		}
	}
	slices.Sort(sizes)
	left := promptBytes
	for i, size := range sizes {
		if share := left / (len(sizes) - i); size > share {
			return max(1, share)
		}
		left -= size
	}
	return l.MessageBytes
}

// plainLimits are limits without methods.
type plainLimits Limits

// MarshalJSON writes times in milliseconds.
func (l Limits) MarshalJSON() ([]byte, error) {
	l.Timeout, l.TurnTimeout = l.Timeout/time.Millisecond, l.TurnTimeout/time.Millisecond
	return json.Marshal(plainLimits(l))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Limits) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*plainLimits)(l)); err != nil {
		return err
	}
	l.Timeout, l.TurnTimeout = l.Timeout*time.Millisecond, l.TurnTimeout*time.Millisecond
	return nil
}

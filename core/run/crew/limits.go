package crew

import (
	"encoding/json"
	"slices"
	"time"

	"cupola/core"

	"cupola/core/run"
)

// Limits are the guardrails of a crew, and a section of the settings. Zero sets no limit, but for
// MaxTurns and Timeout.
type Limits struct {
	// MaxTurns is how many turns follow turn 0.
	MaxTurns int `json:"max_turns" toml:"max_turns" doc:"How many turns a crew may take after its first; 0 is 20"`
	// Timeout is how long one run of the crew takes, and TurnTimeout how long one answer.
	Timeout     time.Duration `json:"timeout_ms" toml:"timeout" doc:"How long a crew may take; 0 is 15m"`
	TurnTimeout time.Duration `json:"turn_timeout_ms" toml:"turn_timeout" doc:"How long one answer of an agent of a crew may take; 0 is as long as the crew"`
	// PingPong is for how many turns two members may be the only ones that talk.
	PingPong int `json:"ping_pong" toml:"ping_pong" doc:"For how many turns two agents of a crew may talk to each other alone; 0 is for ever"`
	// NoProgress is how many turns without anything new end the crew.
	NoProgress int `json:"no_progress" toml:"no_progress" doc:"After how many turns in which no agent says anything new a crew ends; 0 is never"`
	// MessageBytes is how much of a message is delivered; all messages of one prompt together are
	// limited in any case.
	MessageBytes int `json:"message_bytes" toml:"message_bytes" doc:"How many bytes of one message are delivered; 0 is all"`
	// AgentTurns is how many turns in a row a member gets while others wait.
	AgentTurns int `json:"agent_turns" toml:"agent_turns" doc:"How many turns in a row an agent gets while others wait; 0 is any number"`
	// CostUSD is how much all members may cost.
	CostUSD float64 `json:"max_cost_usd" toml:"max_cost_usd" doc:"How much a crew may cost, in USD; 0 is any amount" guard:"it says how much may be spent"`
	run.LimitPolicy
}

// DefaultLimits are the limits where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		MaxTurns: 20, Timeout: 15 * time.Minute, TurnTimeout: 10 * time.Minute, PingPong: 6, NoProgress: 2,
		MessageBytes: 50_000, AgentTurns: 3, LimitPolicy: run.LimitPolicy{OnLimit: run.WaitForReset},
	}
}

// promptBytes is how much all messages of one prompt may have; backends refuse longer prompts.
const promptBytes = 400_000

// Deliverable is how many bytes of each of some messages are delivered in one prompt: MessageBytes, or less if all
// together are too much. Then the longest are cut.
func (l *Limits) Deliverable(messages []Delivery) int {
	most := l.MessageBytes
	if most <= 0 {
		most = promptBytes
	}
	sizes := core.Map(messages, func(d Delivery) int { return min(len(d.Text), most) })
	slices.Sort(sizes)
	left := promptBytes
	for i, size := range sizes {
		if share := left / (len(sizes) - i); size > share {
			return max(1, share)
		}
		left -= size
	}
	return most
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

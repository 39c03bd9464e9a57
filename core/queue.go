package core

import (
	"fmt"
	"time"
)

// OriginQueue is the origin of prompts that were queued and delivered by themselves.
const OriginQueue = "queue"

// The limits of queues.
const (
	// QueuedMost is how many prompts may wait for an agent.
	QueuedMost = 100
	// QueuedBytesMost is how long they may be together, in bytes.
	QueuedBytesMost = 8 << 20
)

// QueuedPrompt is a prompt that waits until its agent is idle. It is then delivered by itself, after those before it.
type QueuedPrompt struct {
	// ID identifies the prompt in the queues of all agents, and in the history if its first delivery succeeds.
	ID string `json:"id" table:"ID,code"`
	// PaneRef is the pane as it was when the prompt was queued.
	PaneRef
	// Position is its number in the agent's queue, counted from 1.
	Position int `json:"position" table:"#"`
	// At is when it was queued, or last changed or moved.
	At time.Time `json:"at" table:"QUEUED,dim,ago"`
	// Origin is the face that it came from.
	Origin string `json:"origin,omitempty"`
	Text   string `json:"text" table:"PROMPT,oneline,flex"`
	// Command is true for a command of the agent's own; other texts stay text.
	Command bool `json:"as_command,omitempty"`
	// Outcome is the result of the last try to deliver it: open while that runs, refused if it is tried again,
	// unconfirmed if it may have arrived and waits for its user; empty before the first.
	Outcome Outcome `json:"outcome,omitempty"`
	Why     string  `json:"why,omitempty"`
	// Evidence is the state that the last try met.
	Evidence []string `json:"evidence,omitempty"`

	// Gone is true if the agent's pane is not there any more.
	Gone bool `json:"gone,omitempty"`

	// Owner is the identity of the pane, and Sent the id of the prompt in the history while a try is open.
	Owner string `json:"-"`
	Sent  string `json:"-"`
}

// Held reports whether the prompt, and those behind it, wait for their user: it may have arrived, so that it is not
// typed again by itself.
func (q *QueuedPrompt) Held() bool { return q.Outcome == Unconfirmed }

// WhyInterrupted is the Why of a prompt that waits because its agent was interrupted after it was queued.
const WhyInterrupted = "interrupted"

// AfterInterrupt reports whether the prompt, and those behind it, wait because their agent was interrupted.
func (q *QueuedPrompt) AfterInterrupt() bool { return q.Outcome == Refused && q.Why == WhyInterrupted }

// Words say in a few words how far the prompt is.
func (q *QueuedPrompt) Words() string {
	switch {
	case q.Gone:
		return "its agent is gone"
	case q.Outcome == Open:
		return "being delivered"
	case q.AfterInterrupt():
		return "held: its agent was interrupted"
	case q.Outcome == Refused:
		return "tried again soon: " + q.Why
	case q.Held():
		return "it may have arrived"
	}
	return "waits"
}

// QueuedWords say how many prompts wait for an agent: "2 queued"; empty for none.
func QueuedWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d queued", n)
}

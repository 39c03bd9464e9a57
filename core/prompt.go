package core

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"
)

// Values of Prompt.Origin. Faces may use others, such as "dashboard".
const (
	OriginSend      = "send"
	OriginFirst     = "first-prompt"
	OriginInterrupt = "interrupt"
	OriginAnswer    = "answer"
	OriginLimit     = "limit"
	OriginRule      = "rule"
)

// Prompt is a text for agents with its deliveries. It is recorded before it is typed.
type Prompt struct {
	// ID identifies the prompt. Ids sort by time.
	ID string    `json:"id"`
	At time.Time `json:"at" table:"SENT,dim,ago"`
	// Server is the path of the terminal server's socket, Session the session of the first pane.
	Server  string `json:"server"`
	Session string `json:"session,omitempty" names:"session"`
	// Origin is the act or face it came from: send, first-prompt, interrupt, answer,
	// limit for one that continues an agent after a limit, dashboard.
	Origin string `json:"origin" table:"FROM,dim"`
	// Tracked is true if its sender waits for confirmation that the agents accepted it.
	Tracked bool `json:"tracked"`
	// Bytes is the length of Text.
	Bytes int    `json:"bytes"`
	Text  string `json:"text" table:"PROMPT OR ANSWER,oneline,flex"`
	// Deliveries has one for each pane, in the order in which the panes were named.
	Deliveries []Delivery `json:"deliveries"`
}

// NewPrompt returns a prompt with an open delivery for each pane.
func NewPrompt(origin, text string, panes ...PaneRef) *Prompt {
	p := &Prompt{Origin: origin, Text: text, Bytes: len(text), Deliveries: make([]Delivery, len(panes))}
	for i, pane := range panes {
		p.Deliveries[i] = Delivery{PaneRef: pane, Result: Result{Outcome: Open}}
	}
	if len(panes) > 0 {
		p.Session = panes[0].Session
	}
	return p
}

// Outcome returns the outcome that all panes share, or Mixed.
func (p *Prompt) Outcome() (shared Outcome) {
	for i := range p.Deliveries {
		switch outcome := p.Deliveries[i].Outcome; shared {
		case "", outcome:
			shared = outcome
		default:
			return Mixed
		}
	}
	return shared
}

// Addresses returns the addresses of the prompt's panes, in their order.
func (p *Prompt) Addresses() []string {
	return Map(p.Deliveries, func(d Delivery) string { return d.Address() })
}

// Outcome is the outcome of a prompt or a decision at one pane.
type Outcome string

// The outcomes of prompts. Open means that the delivery is in progress, or that its process
// ended before it recorded an outcome. Planned is the outcome of a dry run.
const (
	Open        Outcome = "open"
	Delivered   Outcome = "delivered"
	Queued      Outcome = "queued"
	Steered     Outcome = "steered"
	Refused     Outcome = "refused"
	Unconfirmed Outcome = "unconfirmed"
	Typed       Outcome = "typed" // left in the composer, as asked, or not shown by the program
	Planned     Outcome = "planned"
	Mixed       Outcome = "mixed" // of several panes
)

// The outcomes of decisions, besides Unconfirmed. AskedAgain means that another dialog came.
const (
	Resolved   Outcome = "resolved"
	AskedAgain Outcome = "asked_again"
)

// Failed reports whether a delivery with this outcome makes the send fail.
func (o Outcome) Failed() bool { return o == Refused || o == Unconfirmed }

// Taken reports whether an agent has accepted the prompt.
func (o Outcome) Taken() bool { return o == Delivered || o == Queued || o == Steered }

// Delivery is one prompt at one pane, with its result.
type Delivery struct {
	PaneRef
	// Status is the pane's status when it was last observed. It is not recorded.
	Status Status `json:"-"`
	Result
}

// NewRefusal returns a delivery that was refused before anything was typed, with the evidence
// for that.
func NewRefusal(pane PaneRef, evidence ...string) *Delivery {
	return &Delivery{PaneRef: pane, Result: Result{Outcome: Refused, Evidence: evidence}}
}

// Result is the outcome of a delivery, with its evidence.
type Result struct {
	// Outcome is delivered, queued, steered, typed, refused, unconfirmed, planned or open.
	Outcome Outcome `json:"outcome" table:"OUTCOME,word,with=Why"`
	// Why is one word for why a pane refused: dialog, draft, copy_mode, dead, agent_gone,
	// gone, partial (what the pane shows is not known whole), starting, busy, held (another
	// Cupola types there), budget, command (the agent would take the text for one), or why a
	// text was only typed: unseen (the screen did not show it); empty otherwise.
	Why string `json:"why,omitempty"`
	// Evidence lists the observations, one sentence each.
	Evidence []string `json:"evidence" table:"WHAT WAS SEEN,dim,flex,join=;"`
	// Remedy would make the delivery succeed; empty if none is known.
	Remedy Remedy `json:"-"`
	// Enters counts how often Enter was pressed.
	Enters  int          `json:"enters"`
	Elapsed Milliseconds `json:"elapsed_ms"`
	// At is when the delivery ended; zero while it is open.
	At time.Time `json:"at,omitzero"`
}

// MayRemain reports whether the text may still be where it was typed: it was not seen to leave.
func (r *Result) MayRemain() bool {
	return r.Outcome == Unconfirmed || r.Outcome == Typed && r.Why != ""
}

// Saw returns the evidence, joined to one text.
func (r *Result) Saw() string { return strings.Join(r.Evidence, "; ") }

// NewPromptID makes the id of a prompt that is sent at a time. Ids sort by time, in
// milliseconds, and no two are the same.
func NewPromptID(at time.Time) string {
	return strconv.FormatInt(at.UnixMilli(), 32) + "-" + strings.ToLower(rand.Text()[:10])
}

// TakenPrompt is the newest prompt that a pane accepted.
type TakenPrompt struct {
	// ID is the prompt's id; empty if it is not from the journal.
	ID   string
	Text string
	// Sent is when its delivery began, At when it was confirmed.
	Sent, At time.Time
}

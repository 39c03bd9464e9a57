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
)

// Prompt is a text for agents, from before it is typed until it is on record.
type Prompt struct {
	// ID names the send; ids sort by time.
	ID string    `json:"id"`
	At time.Time `json:"at" table:"SENT,dim,ago"`
	// Server is the path of the terminal server's socket, Session the session of the first pane.
	Server  string `json:"server"`
	Session string `json:"session,omitempty"`
	// Origin says which act or face it came from: send, first-prompt, interrupt, answer, dashboard.
	Origin string `json:"origin" table:"FROM,dim"`
	// Tracked is true if its sender waits for confirmation that it was taken.
	Tracked bool `json:"tracked"`
	// Bytes is the length of Text.
	Bytes int    `json:"bytes"`
	Text  string `json:"text" table:"PROMPT OR ANSWER,oneline,flex"`
	// Deliveries has one for each pane, in the order in which the panes were named.
	Deliveries []Delivery `json:"deliveries"`
}

// NewPrompt returns a prompt to some panes, whose deliveries are open.
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

// Outcome returns the outcome at all panes, or Mixed.
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

// Addresses returns those of its panes.
func (p *Prompt) Addresses() []string {
	addresses := make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		addresses[i] = p.Deliveries[i].Address()
	}
	return addresses
}

// Outcome is what became of a prompt or a decision at one pane.
type Outcome string

// The outcomes of prompts. Open is that of a delivery in progress, or whose process ended
// before it recorded another; Planned is that of a dry run.
const (
	Open        Outcome = "open"
	Delivered   Outcome = "delivered"
	Queued      Outcome = "queued"
	Steered     Outcome = "steered"
	Refused     Outcome = "refused"
	Unconfirmed Outcome = "unconfirmed"
	Typed       Outcome = "typed" // left in the composer, as asked
	Planned     Outcome = "planned"
	Mixed       Outcome = "mixed" // of several panes
)

// The outcomes of decisions, besides Unconfirmed. AskedAgain means that another dialog came.
const (
	Resolved   Outcome = "resolved"
	AskedAgain Outcome = "asked_again"
)

// Failed reports whether the outcome makes a whole send a failure.
func (o Outcome) Failed() bool { return o == Refused || o == Unconfirmed }

// Taken reports whether an agent has the prompt.
func (o Outcome) Taken() bool { return o == Delivered || o == Queued || o == Steered }

// Delivery is a prompt at one pane.
type Delivery struct {
	PaneRef
	// Status is that of the pane when it was last looked at; it is not on record.
	Status Status `json:"-"`
	Result
}

// NewRefusal returns the delivery to a pane that refused before anything was typed, and what was
// seen there.
func NewRefusal(pane PaneRef, evidence ...string) *Delivery {
	return &Delivery{PaneRef: pane, Result: Result{Outcome: Refused, Evidence: evidence}}
}

// Result is what became of a prompt at one pane.
type Result struct {
	// Outcome is delivered, queued, steered, typed, refused, unconfirmed, planned or open.
	Outcome Outcome `json:"outcome" table:"OUTCOME,word,with=Why"`
	// Why says in one word why a pane refused: dialog, draft, copy_mode, dead,
	// agent_gone, gone, starting, busy, held (another Cupola types there), budget,
	// command (the agent would take the text for one); empty otherwise.
	Why string `json:"why,omitempty"`
	// Evidence says in words what was seen.
	Evidence []string `json:"evidence" table:"WHAT WAS SEEN,dim,flex,join=;"`
	// Remedy is what would make it otherwise, if anything is known to.
	Remedy Remedy `json:"-"`
	// Enters counts how often Enter was pressed.
	Enters  int          `json:"enters"`
	Elapsed Milliseconds `json:"elapsed_ms"`
	// At is when it ended; zero while open.
	At time.Time `json:"at,omitzero"`
}

// Saw returns the evidence as one text.
func (r *Result) Saw() string { return strings.Join(r.Evidence, "; ") }

// NewPromptID makes the id of a prompt that is sent at a time. Ids sort by time, in
// milliseconds, and no two are the same.
func NewPromptID(at time.Time) string {
	return strconv.FormatInt(at.UnixMilli(), 32) + "-" + strings.ToLower(rand.Text()[:10])
}

// TakenPrompt is the newest prompt that a pane took.
type TakenPrompt struct {
	Text string
	// Sent is when its delivery began, At when it was confirmed.
	Sent, At time.Time
}

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

// Prompt is a text on its way to panes.
type Prompt struct {
	// ID names the send; ids sort by time.
	ID string
	At time.Time
	// Origin says which act or face it came from.
	Origin string
	Text   string
	// Tracked is true if its sender waits for confirmation that it was taken.
	Tracked bool
	// Panes are all that it goes to, in the order of the answer.
	Panes []PaneRef
}

// Outcome is what became of a prompt at one pane.
type Outcome string

// The outcomes. Planned is that of a dry run.
const (
	Delivered   Outcome = "delivered"
	Queued      Outcome = "queued"
	Steered     Outcome = "steered"
	Refused     Outcome = "refused"
	Unconfirmed Outcome = "unconfirmed"
	Typed       Outcome = "typed" // left in the composer, as asked
	Planned     Outcome = "planned"
)

// Failed reports whether the outcome makes a whole send a failure.
func (o Outcome) Failed() bool { return o == Refused || o == Unconfirmed }

// Delivery is the result at one pane.
type Delivery struct {
	PaneRef
	// Status is that of the pane when it was last looked at.
	Status  Status  `json:"-"`
	Outcome Outcome `json:"outcome"`
	// Why says in one word why a pane refused: dialog, draft, copy_mode, dead,
	// agent_gone, gone, starting, busy, held (another Cupola types there), budget,
	// command (the agent would take the text for one); empty otherwise.
	Why string `json:"why"`
	// Evidence says in words what was seen.
	Evidence string `json:"evidence"`
	// Remedy is what would make it otherwise, if anything is known to.
	Remedy Remedy `json:"-"`
	// Enters counts how often Enter was pressed.
	Enters    int   `json:"enters"`
	ElapsedMS int64 `json:"elapsed_ms"`
}

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

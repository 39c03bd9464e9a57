package deliver

import (
	"time"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// Request asks for a prompt to be delivered.
type Request struct {
	Target resolve.Target
	// ID names the prompt, as NewPromptID makes it; empty makes one.
	ID string
	// Filter delivers to all sessions whose name matches a pattern, such as api-* or
	// *, instead of the target's; the target's Panes and Exclude are addresses then.
	Filter string
	Text   string
	// NoEnter leaves the text in the composer.
	NoEnter bool
	// ReplaceDraft clears what somebody typed there; without it such a pane
	// refuses.
	ReplaceDraft bool
	// Await finds out whom to wait for afterwards, and sends nothing where there is
	// nobody.
	Await bool
	// Now delivers into a running turn also where the agent would take it as
	// part of that turn.
	Now bool
	// Command sends the text as it is, also where agents take it for a command of their
	// own; without it the text is kept words, or refused.
	Command bool
	DryRun  bool
	// Track marks the prompt as one whose sender waits to hear that it was taken up.
	Track bool
	// Timeout is how long to wait for another Cupola that types into a pane; 0, and
	// what is more than 45 s, are 45 s.
	Timeout time.Duration
	// OverrideBudget sends also over a ceiling.
	OverrideBudget bool
	// Origin says in the journal where the prompt came from; empty is OriginSend.
	Origin string
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc
}

// Sent is the answer of Send. It is returned beside a DeliveryFailed error too.
type Sent struct {
	// ID names this send, in the journal too.
	ID         string
	Bytes      int
	Deliveries []core.Delivery
	// Await are the panes to wait for: those with agents, and others that were named.
	Await []core.PaneRef
	// Unrecorded says why the journal lacks this send or its end; empty if it
	// has both, or there is no journal.
	Unrecorded string
}

// KeysRequest asks for named keys to be pressed.
type KeysRequest struct {
	Target resolve.Target
	Keys   []string
	DryRun bool
}

// InterruptRequest asks agents to stop their turn.
type InterruptRequest struct {
	Target resolve.Target
	// Force presses the keys also where nothing seems to run.
	Force bool
	// Text is sent afterwards; empty sends nothing.
	Text string
	// OverrideBudget sends Text also over a ceiling.
	OverrideBudget bool
	// NoWait does not look at what the agent reached.
	NoWait bool
	// Timeout is how long to wait for it; 0 is 10 s.
	Timeout time.Duration
	DryRun  bool
}

// Interrupted is the result at one pane.
type Interrupted struct {
	core.PaneRef
	// Keys are what was pressed, Why says why nothing was.
	Keys []string
	Why  string
	// Before is the status before the keys, After the one reached; After has no
	// state where nobody waited for it.
	Before core.Status
	After  core.Status
	// Changed is true if the screen changed after the keys.
	Changed  bool
	Delivery *core.Delivery
}

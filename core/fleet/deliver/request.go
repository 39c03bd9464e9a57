package deliver

import (
	"time"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// Request asks to deliver a prompt.
type Request struct {
	Target resolve.Target
	// ID names the prompt, as NewPromptID makes it; empty makes one.
	ID string
	// Filter delivers to all sessions whose name matches a pattern, such as api-* or *, instead of the
	// target's; the target's Panes and Exclude are then addresses.
	Filter string
	Text   string
	// NoEnter leaves the text in the composer.
	NoEnter bool
	// ReplaceDraft clears an existing draft; without it such a pane refuses.
	ReplaceDraft bool
	// Await determines the panes to wait for afterwards, and sends nothing if there are none.
	Await bool
	// Force types into a program of no known kind where text may not be taken for a prompt: where a password or
	// a question is asked, in a pager, on the alternate screen; and presses Enter where the text was not seen.
	Force bool
	// Now delivers into a running turn even if the agent takes the prompt as part of that turn.
	Now bool
	// Command sends the text as it is, even if agents take it for a command; without it the text is escaped,
	// or refused.
	Command bool
	DryRun  bool
	// OnRecord sends nothing if the journal cannot record it first.
	OnRecord bool
	// Track marks the prompt as one whose sender waits for its acceptance.
	Track bool
	// Timeout is how long to wait for another Cupola that types into a pane; 0, and more than 45 s, is 45 s.
	Timeout time.Duration
	// OverrideBudget sends even over a ceiling.
	OverrideBudget bool
	// Origin is the prompt's origin in the journal; empty is OriginSend.
	Origin string
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc
}

// Sent is the result of Send. It is also returned beside a DeliveryFailed error.
type Sent struct {
	core.Prompt
	// Await are the panes to wait for: those with agents, and others that were named.
	Await []core.PaneRef
	// Unrecorded says why the journal lacks this send or its outcome; empty if it has both, or there is no
	// journal.
	Unrecorded string
}

// KeysRequest asks to press named keys.
type KeysRequest struct {
	Target resolve.Target
	Keys   []string
	DryRun bool
}

// InterruptRequest asks to stop the turns of agents.
type InterruptRequest struct {
	Target resolve.Target
	// Force presses the keys even if nothing seems to run.
	Force bool
	// Text is sent afterwards; empty sends nothing.
	Text string
	// OverrideBudget sends Text even over a ceiling.
	OverrideBudget bool
	// NoWait skips the state after the interrupt.
	NoWait bool
	// Timeout is how long to wait for that state; 0 is 10 s.
	Timeout time.Duration
	DryRun  bool
}

// Interrupted is the result at one pane.
type Interrupted struct {
	core.PaneRef
	// Keys were pressed; Why says why none were.
	Keys []string
	Why  string
	// Before is the status before the keys, After the one reached; After has no state with NoWait.
	Before core.Status
	After  core.Status
	// Changed is true if the screen changed after the keys.
	Changed  bool
	Delivery *core.Delivery
}

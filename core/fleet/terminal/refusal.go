package terminal

import "cupola/core"

// Refusal ends a delivery before anything was typed.
type Refusal struct {
	Why, Evidence string
	Remedy        core.Remedy
}

// Error returns the evidence.
func (r Refusal) Error() string { return r.Evidence }

// The values of Delivery.Why.
const (
	WhyDialog   = "dialog"
	WhyDraft    = "draft"
	whyCopyMode = "copy_mode"
	WhyDead     = "dead"
	WhyLeft     = "agent_gone"
	WhyGone     = "gone"
	WhyPartial  = "partial"
	WhyStarting = "starting"
	WhyBusy     = "busy"
	WhyHeld     = "held"
	WhyBudget   = "budget"
	// WhyOverview is why nothing is typed into an overview of agents.
	WhyOverview = "overview"
	WhyCommand  = "command"
	// WhyUnseen is why a text was only typed: the screen did not show it.
	WhyUnseen = "unseen"
)

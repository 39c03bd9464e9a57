package core

import "time"

// Act is a way to answer a dialog.
type Act string

// The acts. ActLook only reads the dialog. ActChoose takes an option by its number. ActSay gives
// words, which where the dialog has no field for them is a denial followed by a prompt.
const (
	ActLook    Act = "look"
	ActApprove Act = "approve"
	ActDeny    Act = "deny"
	ActChoose  Act = "choose"
	ActSay     Act = "text"
)

// Decision is an answer that was given to a dialog.
type Decision struct {
	PaneRef
	At time.Time
	// Origin says which act or face it came from, By in which pane it was
	// given, as SESSION/NAME; empty for panes that Cupola did not make.
	Origin string
	By     string
	// Reason is what the dialog asked for, Asks what it asked about.
	Reason Reason
	Asks   string
	// Act is how it was answered, Chosen the label of the option that was taken, Text
	// the words that were given.
	Act    Act
	Chosen string
	Text   string
	// Outcome is resolved, asked_again where another dialog came, or unconfirmed.
	Outcome string
}

// The outcomes of decisions.
const (
	DecisionResolved    = "resolved"
	DecisionAskedAgain  = "asked_again"
	DecisionUnconfirmed = "unconfirmed"
)

package core

import "time"

// Act is a way to answer a dialog.
type Act string

// The acts. ActLook only reads the dialog. ActChoose takes an option by its number. ActSay
// answers with a text: a question that is answered in writing takes it as it is; another dialog that
// has no field for text is denied, and the text is sent as a prompt.
const (
	ActLook    Act = "look"
	ActApprove Act = "approve"
	ActDeny    Act = "deny"
	ActChoose  Act = "choose"
	ActSay     Act = "text"
)

// The acts on rules, which answer no dialog themselves.
const (
	ActAllow  Act = "allow"
	ActRevoke Act = "revoke"
)

// Decision is an answer that was given to a dialog.
type Decision struct {
	At time.Time `json:"at" table:"AGO,dim,ago"`
	// Server is the path of the terminal server's socket.
	Server string `json:"server"`
	PaneRef
	// Origin is the act or face it came from: answer, dashboard, rule for one that a rule gave. By is the pane in
	// which it was given, as SESSION/NAME; empty for panes that Cupola did not make.
	Origin string `json:"origin"`
	By     string `json:"by,omitempty"`
	// Reason is the kind of the dialog's question, Asks its subject.
	Reason Reason `json:"reason,omitempty"`
	Asks   string `json:"asks,omitempty"`
	// Act is approve, deny, choose or text, or allow and revoke for a rule that was made or ended. Chosen is the label
	// of the option that was taken, Text the words that were given, or the rule.
	Act    Act    `json:"act" table:"ANSWER,flex"`
	Chosen string `json:"chosen,omitempty"`
	Text   string `json:"text,omitempty"`
	// Outcome is resolved, asked_again where another dialog came, or unconfirmed.
	Outcome Outcome `json:"outcome,omitempty" table:"OUTCOME"`
}

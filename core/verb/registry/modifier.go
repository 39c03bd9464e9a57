package registry

import (
	"reflect"
	"slices"
)

// The modifiers that verbs share. Embedding one gives a verb its flags; what a
// flag is called and means is written here and nowhere else.

// InSession makes the verb take a session as its first argument.
type InSession struct {
	Session string `arg:"1" required:"true" names:"session" help:"Session, or a pane of it: NAME, NAME.N, %ID or NAME:WINDOW.PANE"`
}

// AnySession lets the verb take a session as its first argument, and answer for
// all of them without one.
type AnySession struct {
	Session string `arg:"1" names:"session" help:"Session, or a pane of it: NAME, NAME.N, %ID or NAME:WINDOW.PANE (default: every session)"`
}

// Page selects a part of a list. Limit 0 is the whole list.
type Page struct {
	Limit  int `flag:"limit,n" alias:"robot-limit" min:"0" help:"Rows to return, at most; 0 is all"`
	Offset int `alias:"robot-offset" min:"0" help:"Rows to skip"`
}

// OfSession filters by session; the name alone is enough. An answer that embeds it, or has it
// among its filters, echoes it.
type OfSession struct {
	Session string `json:"session,omitempty" inline:"word" names:"session" help:"Only this session"`
}

// OfPanes selects panes of the session.
type OfPanes struct {
	Panes []string `names:"panes" help:"Only these panes: ordinals, %IDs or agent names, separated by commas"`
	Type  []string `help:"Only agents of these kinds (claude or cc, codex or cod, ...)"`
}

// TeamMembers includes agents that other agents started.
type TeamMembers struct {
	Team bool `help:"Also members of teams, which take orders from the agent that started them (default: not unless they are named)"`
}

// UserPanes includes panes that hold no agent.
type UserPanes struct {
	All bool `help:"Include panes that hold no agent: your own shells and commands (default: agents only)"`
}

// ReachesUserPanes reports whether --all has a verb include panes that hold no agent.
func ReachesUserPanes(v *Verb) bool {
	return embeds[UserPanes](v)
}

// Excluded takes panes out of a selection.
type Excluded struct {
	Exclude []string `names:"panes" help:"Leave out these panes: ordinals, %IDs or agent names"`
}

// OverBudget lets prompts through that a spending ceiling would refuse.
type OverBudget struct {
	OverrideBudget bool `raises:"destroys" help:"Send even if a spending ceiling is exceeded"`
}

// Preview shows what would be done.
type Preview struct {
	DryRun bool `help:"Show what would be done and do nothing"`
}

// Consent confirms a verb that destroys.
type Consent struct {
	Yes   bool `flag:"yes,y" help:"Do it without asking"`
	Force bool `help:"The same as --yes"`
}

// AsksConsent reports whether a verb wants consent before it acts, in the flags of Consent.
func AsksConsent(v *Verb) bool { return v.Field("yes") != nil && v.Field("force") != nil }

// embeds reports whether a verb's input has a modifier.
func embeds[Modifier any](v *Verb) bool {
	return slices.ContainsFunc(reflect.VisibleFields(v.Input()), func(f reflect.StructField) bool {
		return f.Anonymous && f.Type == reflect.TypeFor[Modifier]()
	})
}

// Given reports whether consent was given.
func (c Consent) Given() bool { return c.Yes || c.Force }

// Detail asks for more.
type Detail struct {
	Verbose bool `help:"Answer in more detail"`
}

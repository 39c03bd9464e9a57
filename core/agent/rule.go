package agent

import "cupola/core"

// Rule is a claim about an agent, with the conditions on its screen that prove it. A rule
// matches if its region has rows and every condition holds. Empty conditions hold.
type Rule struct {
	ID string `toml:"-"`
	// State, Reason and Notes are proven by a match; State may be empty.
	State  core.State
	Reason core.Reason
	Notes  []core.Note
	// Source is the evidence for the rule.
	Source string
	// Priority decides between rules for one state: the highest wins, among equals the
	// first id in alphabetical order.
	Priority int
	Region   Region
	// Lines bounds the region, in rows that are not blank; 0 is 14.
	Lines int
	// From begins the region at the last row that matches it. With Paragraph the
	// rows above that one belong to it too, up to the next blank row.
	From      *Pattern
	Paragraph bool
	// Preceded must match the row above the one with which From and Paragraph
	// begin the region, blank ones left out; it is empty where the screen ends.
	Preceded *Pattern
	// All must each match a row, Any at least one of them, None no row.
	All, Any, None []*Pattern
	// Foot must match one of the region's last two rows.
	Foot *Pattern
	// Title must match the terminal's title, whatever the region.
	Title *Pattern
	// Launch must match the command line with which Cupola started the agent, which is empty if it did not.
	Launch *Pattern
	// Failure makes the rule a fallback for failures that no other rule recognises. Its
	// state and reason are derived from the text behind what the first of All matches, by
	// the general signs of failures. It is "words" if only failures have that mark. It is
	// "form" if answers have it too, so that the text must also have the form of an error
	// message.
	Failure string
	// Versions is the range to which the rule applies, such as ">=2.1.0, <2.2"; empty is
	// all. A rule always applies if the version is not known.
	Versions string
	// Off disables a rule that comes with Cupola.
	Off bool
}

// Region names a part of the screen. Blank rows are left out of all of them.
type Region string

// The regions. Above and Below have no rows on a screen without a composer; Dialog has no
// rows on a screen with one.
const (
	// Bottom is the end of the visible screen.
	Bottom Region = "bottom"
	// Dialog is the end of a visible screen that shows no composer.
	Dialog Region = "dialog"
	// Above and Below are the rows next to the composer's frame. If the frame does not
	// begin at the left edge, Above excludes what is left of it.
	Above Region = "above"
	Below Region = "below"
	// Caret is the row of the terminal's cursor.
	Caret Region = "cursor"
	// Title is the terminal's title, as one row.
	Title Region = "title"
	// Whole is the visible screen.
	Whole Region = "screen"
)

var regions = []Region{Bottom, Dialog, Above, Below, Caret, Title, Whole}

// defaultLines is the height of the live region in most kinds.
const defaultLines = 14

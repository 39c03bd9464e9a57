package agent

import "cupola/core"

// Rule is a claim about an agent and the sign on its screen that proves it. A
// rule matches where its region has rows and every condition holds; conditions
// that are empty hold.
type Rule struct {
	ID string `toml:"-"`
	// State and Reason are claimed, and Notes besides them; State may be empty.
	State  core.State
	Reason core.Reason
	Notes  []core.Note
	// Source says where the fact comes from.
	Source string
	// Priority decides between rules for one state: the highest wins, then the
	// alphabet of the ids.
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
	// Failure makes the rule a fallback: in place of State and Reason it claims what
	// the general signs of a failure tell from the text behind what the first of All
	// matches. It counts where no other rule knows the words: those of a lower priority
	// only know that something failed. It is "words" where only failures have that mark,
	// and "form" where answers have it too, so that the text must also be put as programs
	// put errors.
	Failure string
	// Versions is the range for which the rule holds, such as ">=2.1.0, <2.2"; empty
	// is all. A rule holds wherever the version is not known.
	Versions string
	// Off disables a rule that comes with Cupola.
	Off bool
}

// Region names a part of the screen. Blank rows are left out of all of them.
type Region string

// The regions. Those that lean on the composer have no rows where there is
// none; Dialog is the other way round.
const (
	// Bottom is the end of the visible screen.
	Bottom Region = "bottom"
	// Dialog is the end of a visible screen that shows no composer.
	Dialog Region = "dialog"
	// Above and Below are the rows next to the composer's frame. Where the frame
	// does not begin at the left edge, Above leaves out what is beside it.
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

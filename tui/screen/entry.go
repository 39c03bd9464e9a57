package screen

import "cupola/tui/intent"

// Entry registers a screen: it is all that the dashboard knows of one.
type Entry struct {
	// Name is its name in intent.Open.
	Name intent.Screen
	// Key opens it in place of all that is open, and Does says in the help what it shows; both are empty for a screen
	// that is opened about the selection alone.
	Key, Does string
	// Words are other words that users have for what it shows, with blanks between them; the palette finds it by them.
	Words string
	// Keys are its tables of keys.
	Keys []*intent.Scope
	// Alone is true if it has something to show without any session.
	Alone bool
	// Lists are the questions that are asked also while it is closed.
	Lists []Want
	// Open makes it, or says why it cannot be.
	Open func(at *Opening) (opened Screen, why string)
	// Means opens it in place of Open.
	Means intent.Intent
}

// Opening is from where a screen is opened, and about what.
type Opening struct {
	World  *World
	Choice *Choice
	// ID is the row to select; empty for any.
	ID string
	// Selected is true if it is to be about the selection alone.
	Selected bool
	// Below are the keys of the screen from which it is opened.
	Below *intent.Scope
}

// Always makes the Open of a screen that can always be opened.
func Always[S Screen](made func() S) func(*Opening) (Screen, string) {
	return func(*Opening) (Screen, string) { return made(), "" }
}

// OfChoice makes the Open of a screen about the selection of the fleet.
func OfChoice[S Screen](made func(*Choice) S) func(*Opening) (Screen, string) {
	return func(at *Opening) (Screen, string) { return made(at.Choice), "" }
}

// NothingSelected says why what is about the selection cannot be done.
const NothingSelected = "nothing is selected; n starts a session"

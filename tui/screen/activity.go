package screen

import (
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
)

// Activity is what agents did in a time. The zero value was not read yet.
type Activity struct {
	// Read is true once it was read, Wrong why it cannot be.
	Read  bool
	Wrong string
	// From is when it begins, To when it was read.
	From, To time.Time
	// Spans are the times in states, by their beginning.
	Spans []timesheet.Span
	// Events and Prompts are what happened, the oldest and the newest first.
	Events  []core.Event
	Prompts []core.Prompt
}

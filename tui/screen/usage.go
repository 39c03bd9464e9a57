package screen

import (
	"cupola/core/agent/usage"
	"cupola/core/record/budget"
)

// Usage is what agents used. The zero value was not read yet.
type Usage struct {
	// Read is true once it was read, Wrong why it cannot be.
	Read  bool
	Wrong string
	// Days are the days on which something was used, the oldest first, of a week at least.
	Days []usage.Row
	// Rows are by what was asked for, those that used most first; Total is over all of them.
	Rows  []usage.Row
	Total usage.Amount
	// Spends are what was spent under ceilings, Limits those of providers that were seen.
	Spends []budget.Spend
	Limits []usage.Limit
}

// Package money declares the verbs of tokens, costs, ceilings, accounts and limits.
package money

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	tokens, budgetShown, budgetSet, accounts, accountStatus, accountsList, quotaCheck,
}

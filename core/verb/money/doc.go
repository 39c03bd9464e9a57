// Package money declares the verbs of tokens, costs, ceilings, accounts and limits.
package money

// Package kinds has the verbs about agent kinds of the user's own: their files are begun, checked, and derived from
// recorded screens. What such a file may hold is in package agent.
package kinds

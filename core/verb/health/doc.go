// Package health declares the verbs that judge agents: what each does, since when, how it is known, and what is
// wrong with it.
package health

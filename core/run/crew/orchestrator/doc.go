// Package orchestrator runs crews: it asks the members of each turn at once, takes their answers
// apart, and puts every message on record before it is delivered. A crew whose process was killed
// goes on where it was: answers on record are not asked for again.
//
// What a Stage does to ask a member is unknown to it. A run has a goroutine for each member that is
// asked and one that watches what users ask of the crew; all end with Run.
package orchestrator

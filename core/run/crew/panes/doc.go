// Package panes is the stage on which every member of a crew has a pane of a session: a user sees each at work, may
// approve, type and attach.
//
// A prompt is delivered as any other is, with proof that the agent took it, and its id is on record before. The
// answer is the one to that prompt, whatever was typed into the pane since; while an agent waits for a person, so
// does the crew. Agents work under their own permission settings. Panes stay open when a crew ends or is stopped, and
// their work is not interrupted; a crew that is resumed finds them again, takes answers that were given meanwhile,
// and starts the agents that are gone.
//
// The stage starts no goroutine that outlives a call.
package panes

// Package fleet is everything that can be seen and done on one engine: the struct Fleet, which
// holds one service for each job. Open makes them; each has its package below this one:
//
//	resolve       finds the panes and sessions that names mean
//	observe       looks: snapshots with the state of every agent
//	overview      snapshots as callers get them: with alerts, without what is hidden
//	keeper        one shared snapshot for all processes, and streams of what changes
//	await         waits until panes reach a state
//	deliver       types: prompts, answers, interrupts, keys
//	lifecycle     starts, restarts, adopts, renames and ends
//	output        reads what panes show
//	conversation  reads what agents recorded: replies, context, whether a prompt is answered
//	worklog       tells what changed in working trees, and who changed it
//	announce      tells other processes what this one did or heard
//
// Below these are terminal (one pane, looked at and typed into), measure (what no snapshot shows),
// rundir (files and locks), wire (the keeper's protocol), panetag (values of tags), parallel and
// fault (errors).
//
// Services know each other by named fields, and only those below them. None of them starts a
// goroutine that outlives a call, except keeper, whose goroutines end with the context of a
// subscription. None knows a face: no flag, no format, no style.
package fleet

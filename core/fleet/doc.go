// Package fleet is all that can be read and done on one engine: the struct Fleet, which holds
// one service for each job. Open makes them; each has its package below this one:
//
//	resolve       finds the panes and sessions that names mean
//	observe       makes snapshots with the state of every agent
//	overview      snapshots as callers get them: with alerts, without what is hidden
//	keeper        one shared snapshot for all processes, and streams of what changes
//	await         waits until panes reach a state
//	deliver       types prompts, answers, interrupts and keys
//	lifecycle     starts, restarts, adopts, renames and ends
//	output        reads what panes show
//	conversation  reads what agents recorded: replies, context, whether a prompt is answered
//	worklog       what changed in working trees, and which agent changed it
//	announce      sends other processes what this one did or received
//
// Below these are terminal (captures one pane and types into it), measure (what no snapshot
// shows), rundir (files and locks), wire (the keeper's protocol), panetag (values of tags),
// parallel and fault (errors).
//
// Services hold each other in named fields, and only those below them. Only keeper starts
// goroutines that outlive a call; they end with the context of a subscription. No service
// knows a face: no flag, no format, no style.
package fleet

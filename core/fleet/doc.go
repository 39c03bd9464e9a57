// Package fleet is the live picture of all sessions and agents, and the only
// door to the engine: what is there (Snapshot, Subscribe, Live, Wait, Explain)
// and what can be done (Spawn, Add, Send, Keys, Interrupt, Tail, Kill, Rename,
// Adopt, Attach).
//
// What is true of an agent is judged by package detect, on facts that are
// gathered here: its process, its screen, what its hooks report (Hooked), and
// what it says in a file of its own. Whoever looks once asks for all of that
// together; who stays asks again only of what changed.
//
// It translates the engine's sentinels and those of other low packages into
// *core.Error, once; its callers need no other error type. One-shot callers
// open a Fleet, ask, and close it: no goroutine outlives a call. A long-lived
// caller subscribes; whichever subscriber's process holds the lock in the
// runtime folder is the keeper, which alone watches the engine, mints
// revisions and serves the others over a socket beside the lock.
//
// It knows no face: no flag, no format, no style.
//
// What can be asked or done is in a file of its name (tail, send, kill). These
// stand below:
//
//	target, address, chosen, resolve, missing           which panes are meant, and what there is instead
//	snapshot, roll, glimpse, recognise, number, settle  the picture: every pane with its agent and number
//	status, judge, ambient, version, edge, memory       what is found out of agents, for detect
//	album                                               what one picture leaves for the next
//	request, wish, plan, create, await, follow, reap    how panes are made, and how they end
//	deliver, draft                                      a prompt, from the look before it to its end
//	feedloop, differ, subscribe, revision, trace, veil  pictures that follow each other, and what changed
//	keeper, wire, seat, hook, alert                     the process that keeps the picture, and who talks to it
//	live, timed                                         pictures with screens, for displays, and how long streams last
//	gauge, pulse, patrol, disk, survey, spending        what is measured beside the pictures
package fleet

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
package fleet

// Package agentsession keeps what an agent inside a story needs to report about it: which change and which story it
// works on, what it learned, and which process it works for. A session is one file, which all its agents share; every
// change of it happens under one lock, so that none is lost.
//
// A session belongs to a process, its owner, and lasts as long as that runs. One owner has a change at a time. What is
// left by an owner that ended stays on record until the session is resumed or the change is taken over, which keeps
// what was learned.
//
// The package starts no goroutine and keeps nothing between calls.
package agentsession

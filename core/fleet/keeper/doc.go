// Package keeper keeps one shared snapshot of an engine and streams what changes. Every process
// that subscribes is a member. The member that holds the lock in the runtime directory is the
// keeper: it alone watches the engine, numbers revisions, tracks alerts and serves the others over
// a socket. When it ends, another takes over without a gap in the revisions.
//
// A hub holds the snapshot and the newest events; readers follow it with cursors and never hold
// it up. What is written to slowly (the journal, the record, tags on panes) has a writer of its
// own. Goroutines end with the context that a subscription was asked for with.
package keeper

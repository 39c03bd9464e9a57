// Package keeper maintains one shared snapshot of an engine and streams its changes. Every subscribing
// process is a member. The member that holds the lock in the runtime directory is the keeper: it alone
// watches the engine, assigns revisions, tracks alerts and serves the others over a socket. When it ends,
// another takes over without a gap in the revisions.
//
// A hub holds the snapshot and the newest events; readers follow it with cursors and never block it. Slow
// outputs (the journal, the record, tags on panes) have writers of their own. Goroutines end with the context
// of their subscription.
package keeper

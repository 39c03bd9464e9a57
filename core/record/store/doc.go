// Package store keeps what must outlive every process in one SQLite file: prompts and their
// outcomes, decisions, events, alerts, the usage of agents, and ceilings for it. It knows
// no engine and no face; writers name the server of their rows, so that the revisions of
// two servers do not mix.
//
// A Store is the file: opened, migrated, pruned, and replaced where it is damaged. Each subject has a type of its own
// (PromptsIn, EventsIn, ...) with the queries of its tables, which sees of the Store no more than that it reads and
// writes.
//
// Several processes may write at once; each waits for the lock. Times are columns
// of Unix milliseconds, UTC. Committed data survives a crash of the process, though
// not always of the machine. The next writer sets a damaged file aside under another
// name, and begins a new one.
//
// Every error is a *core.Error: StoreLocked where another process held the file
// for too long, MigrationFailed where a newer program wrote it, NotFound,
// Cancelled, or StoreError.
package store

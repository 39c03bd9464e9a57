// Package store keeps what must outlive every process in one SQLite file: the
// prompts that were sent and what became of them, what happened, alerts, what
// agents have used, and how much they may.
// It knows no engine and no face; whoever writes says which server its rows
// belong to, so that the revisions of two servers do not mix.
//
// Several processes may write at once; each waits its turn. Times are columns
// of Unix milliseconds, UTC. What is committed survives the end of a process at
// any moment, though not always that of the machine. A file that is damaged is
// set aside under another name by whoever writes next, and a new one is begun.
//
// Every error is a *core.Error: StoreLocked where another process held the file
// for too long, MigrationFailed where a newer program wrote it, NotFound,
// Cancelled, or StoreError.
package store

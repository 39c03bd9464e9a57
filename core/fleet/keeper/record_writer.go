package keeper

import (
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/rundir"
)

const (
	// recordEvery throttles writes of the record.
	recordEvery = 250 * time.Millisecond
	// headroom is how many revisions a keeper may assign before the record must be written again.
	headroom = 256
)

// recordWriter writes a keeper's record. Failures are logged and block nothing.
type recordWriter struct {
	path string
	log  *slog.Logger
	// writing is held while the file is written.
	writing sync.Mutex

	mu     sync.Mutex
	record rundir.Record
}

// allow makes sure that the record's ceiling covers a revision before it is published, so that no later
// keeper reuses it. It waits for the disk only if the ceiling must be raised.
func (r *recordWriter) allow(revision core.Revision) {
	if r.raise(revision) {
		r.save()
	}
}

func (r *recordWriter) raise(revision core.Revision) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if revision <= r.record.Ceiling {
		return false
	}
	r.record.Ceiling = revision + headroom
	return true
}

// dismiss sets the dismissed alerts of the next record.
func (r *recordWriter) dismiss(dismissed []core.Alert) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Dismissed = dismissed
}

// write records the newest snapshot.
func (r *recordWriter) write(revision core.Revision, snapshot *core.Snapshot) {
	r.mu.Lock()
	r.record.Revision, r.record.Snapshot = revision, snapshot
	r.mu.Unlock()
	r.save()
}

// close records the last snapshot; nothing was published after it.
func (r *recordWriter) close(revision core.Revision, snapshot *core.Snapshot) {
	r.mu.Lock()
	r.record.Revision, r.record.Ceiling, r.record.Snapshot = revision, revision, snapshot
	r.mu.Unlock()
	r.save()
}

func (r *recordWriter) save() {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	newest := r.record
	r.mu.Unlock()
	if err := newest.Write(r.path); err != nil {
		r.log.Warn("the keeper's record could not be written", "error", err)
	}
}

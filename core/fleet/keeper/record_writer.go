package keeper

import (
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/rundir"
)

const (
	// recordEvery is how often the record is written at most.
	recordEvery = 250 * time.Millisecond
	// headroom is how many revisions a keeper may mint before the record must be
	// written again.
	headroom = 256
)

// recordWriter writes a keeper's record while it keeps. One that cannot be written
// is logged and holds nothing up.
type recordWriter struct {
	path string
	log  *slog.Logger
	// writing is held by who writes the file.
	writing sync.Mutex

	mu     sync.Mutex
	record rundir.Record
}

// allow sees to it that the record's ceiling is not below a revision that will
// be made known, so that no later keeper gives it another meaning. It waits for
// the disk only where the ceiling must be raised for that.
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

// dismiss has the next snapshot be recorded with the alerts that a user dismissed.
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

// close records the last snapshot: nothing was made known after it.
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

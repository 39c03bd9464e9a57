package fleet

import (
	"log/slog"
	"sync"
	"time"

	"cupola/core"
)

const (
	// recordEvery is how often the record is written at most.
	recordEvery = 250 * time.Millisecond
	// headroom is how many revisions a keeper may mint before the record must be
	// written again.
	headroom = 256
)

// recorder writes a keeper's record while it keeps. One that cannot be written
// is logged and holds nothing up.
type recorder struct {
	path string
	log  *slog.Logger

	mu     sync.Mutex
	record record
}

// allow sees to it that the record's ceiling is not below a revision that will
// be made known, so that no later keeper gives it another meaning.
func (r *recorder) allow(revision core.Revision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if revision > r.record.Ceiling {
		r.record.Ceiling = revision + headroom
		r.save()
	}
}

// write records the newest picture.
func (r *recorder) write(revision core.Revision, picture *core.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Revision, r.record.Snapshot = revision, picture
	r.save()
}

// close records the last picture: nothing was made known after it.
func (r *recorder) close(revision core.Revision, picture *core.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Revision, r.record.Ceiling, r.record.Snapshot = revision, revision, picture
	r.save()
}

func (r *recorder) save() {
	if err := r.record.write(r.path); err != nil {
		r.log.Warn("the keeper's record could not be written", "error", err)
	}
}

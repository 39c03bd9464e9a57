package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Record is the state that a keeper leaves for the next one.
type Record struct {
	// Revision is the revision of Snapshot. It is the first field, so that LastRevision need not read the rest.
	Revision core.Revision `json:"revision"`
	// Ceiling is a revision not passed since this was written; an orderly stop sets it to Revision.
	Ceiling core.Revision `json:"ceiling"`
	PID     int           `json:"pid"`
	// Since is when that keeper started.
	Since    time.Time      `json:"since"`
	Snapshot *core.Snapshot `json:"snapshot"`
	// Dismissed are dismissed alerts that are not resolved; Snapshot has the open ones.
	Dismissed []core.Alert `json:"dismissed,omitempty"`
}

// LastRevision returns the last revision that the keeper recorded; 0 if none can be read. It creates no file.
func LastRevision(s Files) core.Revision {
	if s.None() {
		return 0
	}
	file, err := plainfile.Open(s.Record)
	if err != nil {
		return 0
	}
	defer file.Close()
	revision, _ := readNumbers(json.NewDecoder(file))
	return revision
}

// readNumbers reads the two revisions at the beginning of a record; 0 for missing ones.
func readNumbers(from *json.Decoder) (revision, ceiling core.Revision) {
	from.UseNumber()
	read := func(name string, into *core.Revision) bool {
		token, err := from.Token()
		return err == nil && token == name && from.Decode(into) == nil
	}
	if brace, err := from.Token(); err != nil || brace != json.Delim('{') {
		return 0, 0
	}
	if read("revision", &revision) {
		read("ceiling", &ceiling)
	}
	return revision, ceiling
}

// ReadRecord reads the last keeper's record; the zero value if there is none. An unreadable record is moved
// aside and still yields its revisions as far as possible.
func ReadRecord(path string) (Record, error) {
	file, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, nil
	}
	if err != nil {
		return Record{}, fmt.Errorf("read the keeper's record: %w", err)
	}
	defer file.Close()
	var r Record
	bad := json.NewDecoder(file).Decode(&r)
	if bad == nil {
		return r, nil
	}
	r = Record{}
	if _, err := file.Seek(0, 0); err == nil {
		r.Revision, r.Ceiling = readNumbers(json.NewDecoder(file))
	}
	err = os.Rename(path, path+".unreadable")
	return r, errors.Join(fmt.Errorf("the keeper's record is set aside: %w", bad), err)
}

// Write replaces the record atomically. Callers must hold the lock.
func (r Record) Write(path string) error { return textfile.WriteJSON(path, r) }

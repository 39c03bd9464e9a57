package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"cupola/core"
	"cupola/core/plainfile"
	"cupola/core/textfile"
)

// Record is what a keeper leaves behind for the next one.
type Record struct {
	// Revision is that of Snapshot. It stands first, where lastRevision finds it
	// without reading the rest.
	Revision core.Revision `json:"revision"`
	// Ceiling is a revision that was not passed since this was written; an
	// orderly stop leaves it equal to Revision.
	Ceiling core.Revision `json:"ceiling"`
	PID     int           `json:"pid"`
	// Since is when that keeper began.
	Since    time.Time      `json:"since"`
	Snapshot *core.Snapshot `json:"snapshot"`
	// Dismissed are the alerts that a user dismissed and that are not over; the snapshot
	// has those that are open.
	Dismissed []core.Alert `json:"dismissed,omitempty"`
}

// LastRevision returns the last revision that the keeper of a seat recorded;
// 0 if there is none to be read. It makes no file.
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

// readNumbers reads the two revisions at the beginning of a record; 0 for those
// that are not there.
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

// ReadRecord reads what the last keeper left; the zero value if there was none.
// A record that cannot be read is set aside and still gives its revisions, so
// far as they can be made out.
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

// Write replaces the record at once or not at all. Only who holds the lock may
// call it.
func (r Record) Write(path string) error { return textfile.WriteJSON(path, r) }

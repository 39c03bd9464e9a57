package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// What is known without reading all records: a file for each relay that has not ended, and the
// backends whose last relay failed.
const (
	openFolder  = "open"
	failingFile = "failing.json"
)

const (
	// failingFor is how long a failed relay counts, unless the backend answers before.
	failingFor = time.Hour
	// interruptedFor is how long an interrupted relay counts, from its start on.
	interruptedFor = 24 * time.Hour
	// failingWait is how long a process waits for another that writes the file.
	failingWait = 2 * time.Second
)

// Failing is a backend whose last relay failed, or one relay that was interrupted.
type Failing struct {
	Backend string `json:"backend"`
	// Count is how many relays failed since the last that did not, within the last hour.
	Count int `json:"count"`
	// ID, At, Code and Message belong to the last.
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Code    core.Code `json:"code"`
	Message string    `json:"message"`
	// Interrupted is true if the process of the relay ended first.
	Interrupted bool `json:"-"`
}

// open notes that a relay on record begins, and removes the notes of those interrupted long ago.
func (b Book) open(id string, now time.Time) error {
	folder := filepath.Join(b.Dir, openFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return core.FileError("record the relay", err)
	}
	for _, old := range b.opened() {
		record, err := b.files().Load(old)
		if errors.Is(err, fs.ErrNotExist) || err == nil && record.State.Ended() && record.old(now) {
			b.closed(old)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, id), nil, 0o600); err != nil {
		return core.FileError("record the relay", err)
	}
	return nil
}

// old reports whether an interruption of the relay no longer counts.
func (r *Record) old(now time.Time) bool {
	return r.State != Interrupted || now.Sub(r.Started) > interruptedFor
}

// closed notes that a relay has ended.
func (b Book) closed(id string) { _ = os.Remove(filepath.Join(b.Dir, openFolder, id)) }

// opened returns the ids of the relays that started and have no end on record.
func (b Book) opened() []string {
	entries, err := os.ReadDir(filepath.Join(b.Dir, openFolder))
	if err != nil {
		return nil
	}
	ids := make([]string, len(entries))
	for i, entry := range entries {
		ids[i] = entry.Name()
	}
	return ids
}

// Heard returns when a backend printed something last that a relay asks which has not ended; zero if it
// did not, or if there is no such relay. It reads no record.
func (b Book) Heard() time.Time {
	var last time.Time
	for _, id := range b.opened() {
		info, err := os.Stat(filepath.Join(b.files().Folder(id), eventsFile))
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// Failing returns the backends whose last relay failed within the last hour, and the relays
// of the last day that were interrupted, by backend. It reads no other records.
func (b Book) Failing(now time.Time) []Failing {
	all := readFailing(filepath.Join(b.Dir, failingFile), now)
	for _, id := range b.opened() {
		record, err := b.files().Load(id)
		if err != nil || record.State != Interrupted || record.old(now) {
			continue
		}
		all = append(all, Failing{
			Backend: record.Backend, Count: 1, ID: id, At: record.Started, Code: record.ErrorCode,
			Message: record.Error, Interrupted: true,
		})
	}
	slices.SortFunc(all, func(x, y Failing) int {
		return cmp.Or(cmp.Compare(x.Backend, y.Backend), x.At.Compare(y.At))
	})
	return all
}

// readFailing reads the failures on file that still count; none where there is no file.
func readFailing(path string, now time.Time) []Failing {
	text, err := plainfile.Read(path, plainfile.Record)
	if err != nil {
		return nil
	}
	var all []Failing
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(f Failing) bool { return now.Sub(f.At) > failingFor })
}

// noteEnd notes how a relay ended, for Failing. A cancelled one says nothing of its backend.
func (b Book) noteEnd(ctx context.Context, record *Record, now time.Time) error {
	b.closed(record.ID)
	path := filepath.Join(b.Dir, failingFile)
	if _, err := os.Stat(path); record.State == Cancelled || record.State == Done && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(path+".lock", flock.SetPermissions(0o600),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
	limited, stop := context.WithTimeout(context.WithoutCancel(ctx), failingWait)
	defer stop()
	if taken, err := lock.TryLockContext(limited, failingWait/100); !taken {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	all := readFailing(path, now)
	count := 1
	all = slices.DeleteFunc(all, func(f Failing) bool {
		if f.Backend == record.Backend {
			count = f.Count + 1
		}
		return f.Backend == record.Backend
	})
	if record.State != Done {
		all = append(all, Failing{
			Backend: record.Backend, Count: count, ID: record.ID, At: record.Ended, Code: record.ErrorCode,
			Message: record.Error,
		})
	}
	if len(all) == 0 {
		return os.Remove(path)
	}
	return textfile.WriteJSON(path, all)
}

package relay

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Index keeps the records of a Book, so that a look at them costs little: the directory is listed
// only if it changed, and a record that can no longer change is read once. It is safe for
// concurrent use.
type Index struct {
	Book Book

	mu      sync.Mutex
	entries map[string]*indexEntry
	// listed is when the directory had changed last as it was listed; zero if it must be listed again.
	listed time.Time
	// all is what All returned last; nil if something changed since.
	all []Record
}

// indexEntry is what is known of one relay. The record is nil if it cannot be read.
type indexEntry struct {
	record  *Record
	changed time.Time
}

// indexedPrompt is how many bytes an Index keeps of a prompt.
const indexedPrompt = 1000

// settled is how old a change of the directory must be, so that none after it has the same time.
const settled = time.Second

// All returns the relays, the newest first: without their answers, and with the beginning of their
// prompts alone. Those that cannot be read are left out. The caller must not change them.
func (x *Index) All() ([]Record, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.list(); err != nil {
		return nil, err
	}
	for id, entry := range x.entries {
		if x.read(id, entry) {
			x.all = nil
		}
	}
	if x.all != nil {
		return x.all, nil
	}
	found := make([]*Record, 0, len(x.entries))
	for _, entry := range x.entries {
		if entry.record != nil {
			found = append(found, entry.record)
		}
	}
	slices.SortFunc(found, func(a, b *Record) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
	})
	x.all = make([]Record, len(found))
	for i, record := range found {
		x.all[i] = *record
	}
	return x.all, nil
}

// list finds new relays, and forgets those that are gone.
func (x *Index) list() error {
	info, err := os.Stat(x.Book.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		x.entries, x.listed, x.all = nil, time.Time{}, nil
		return nil
	}
	if err == nil && !x.listed.IsZero() && info.ModTime().Equal(x.listed) {
		return nil
	}
	var folders []fs.DirEntry
	if err == nil {
		folders, err = os.ReadDir(x.Book.Dir)
	}
	if err != nil {
		return core.FileError("list the relays", err)
	}
	entries := make(map[string]*indexEntry, len(folders))
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		entries[folder.Name()] = x.entries[folder.Name()]
		if entries[folder.Name()] == nil {
			entries[folder.Name()] = &indexEntry{}
		}
	}
	x.entries, x.listed, x.all = entries, time.Time{}, nil
	if time.Since(info.ModTime()) > settled {
		x.listed = info.ModTime()
	}
	return nil
}

// read reads a record again if it may have changed: one that runs always, and one whose process has
// ended without a word, or that cannot be read, if its file has changed. It reports whether it did.
func (x *Index) read(id string, entry *indexEntry) bool {
	running := false
	if known := entry.record; known != nil {
		running = !known.State.Ended()
		if !running && known.State != Interrupted {
			return false
		}
	}
	info, err := os.Stat(filepath.Join(x.Book.files().Folder(id), recordFile))
	if err != nil {
		gone := entry.record != nil
		*entry = indexEntry{}
		return gone
	}
	if !running && info.ModTime().Equal(entry.changed) {
		return false
	}
	*entry = indexEntry{changed: info.ModTime()}
	record, err := x.Book.files().Load(id)
	if err != nil {
		return true
	}
	record.Text, record.Guarantee = "", ""
	if len(record.Prompt) > indexedPrompt {
		record.Prompt = strings.ToValidUTF8(record.Prompt[:indexedPrompt], "")
	}
	entry.record = record
	return true
}

package run

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cupola/core"
)

// Cache keeps the records of a Book in memory: the directory is listed again only if it changed, and a record is read
// again only if its file changed, or while its run has not ended. It is safe for concurrent use.
type Cache[T any, R interface {
	*T
	Record
}] struct {
	Book *Book[T, R]
	// Trim drops from a record what is not to be kept; nil keeps all.
	Trim func(R)
	// Final reports whether a record can change no more, and is not looked at again; nil says no of all.
	Final func(R) bool

	mu      sync.Mutex
	entries map[string]*cacheEntry[T]
	// listed is when the directory had changed last as it was listed; zero if it must be listed again.
	listed time.Time
	// all is the last result of All; nil if something changed since.
	all []T
}

// cacheEntry is the record of one run; nil if it cannot be read.
type cacheEntry[T any] struct {
	record  *T
	changed time.Time
	size    int64
}

// settled is how old a change of the directory must be, so that none after it has the same time.
const settled = time.Second

// All returns the runs, the newest first. Those that cannot be read are left out. The caller must not change them.
func (x *Cache[T, R]) All() ([]T, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.look(); err != nil {
		return nil, err
	}
	if x.all == nil {
		x.all = x.sorted(time.Time{})
	}
	return x.all, nil
}

// Since returns the runs whose record was written since a time, the newest first. The caller must not change them.
func (x *Cache[T, R]) Since(at time.Time) ([]T, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.look(); err != nil {
		return nil, err
	}
	return x.sorted(at), nil
}

// look brings the entries up to date.
func (x *Cache[T, R]) look() error {
	if err := x.list(); err != nil {
		return err
	}
	for id, entry := range x.entries {
		if x.read(id, entry) {
			x.all = nil
		}
	}
	return nil
}

// sorted are the runs whose record was written since a time, the newest first.
func (x *Cache[T, R]) sorted(since time.Time) []T {
	found := make([]*T, 0, len(x.entries))
	for _, entry := range x.entries {
		if entry.record != nil && !entry.changed.Before(since) {
			found = append(found, entry.record)
		}
	}
	slices.SortFunc(found, func(a, b *T) int {
		return cmp.Or(R(b).Head().Started.Compare(R(a).Head().Started), cmp.Compare(R(a).Head().ID, R(b).Head().ID))
	})
	all := make([]T, len(found))
	for i, record := range found {
		all[i] = *record
	}
	return all
}

// list finds new runs, and forgets those that are gone.
func (x *Cache[T, R]) list() error {
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
		return core.FileError("list the "+x.Book.Noun+"s", err)
	}
	entries := make(map[string]*cacheEntry[T], len(folders))
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		entries[folder.Name()] = x.entries[folder.Name()]
		if entries[folder.Name()] == nil {
			entries[folder.Name()] = &cacheEntry[T]{}
		}
	}
	x.entries, x.listed, x.all = entries, time.Time{}, nil
	if time.Since(info.ModTime()) > settled {
		x.listed = info.ModTime()
	}
	return nil
}

// read reads a record again if it may have changed, and reports whether it did.
func (x *Cache[T, R]) read(id string, entry *cacheEntry[T]) bool {
	if entry.record != nil && x.Final != nil && x.Final(entry.record) {
		return false
	}
	info, err := os.Stat(filepath.Join(x.Book.Folder(id), x.Book.File))
	if err != nil {
		gone := entry.record != nil
		*entry = cacheEntry[T]{}
		return gone
	}
	same := info.ModTime().Equal(entry.changed) && info.Size() == entry.size
	if live := entry.record != nil && !R(entry.record).Head().State.Ended(); same && !live {
		return false
	}
	*entry = cacheEntry[T]{changed: info.ModTime(), size: info.Size()}
	record, err := x.Book.Load(id)
	if err != nil {
		return true
	}
	if x.Trim != nil {
		x.Trim(record)
	}
	entry.record = (*T)(record)
	return true
}

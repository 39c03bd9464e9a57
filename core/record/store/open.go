package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver that sql.Open names

	"cupola/core"
)

// Options configure a store. The zero value is usable.
type Options struct {
	// Busy is how long to wait for another process; 0 is 5 s.
	Busy time.Duration
	// Keep limits what is kept; its zero value keeps everything.
	Keep Retention
	// Warn receives each warning for the user as one sentence, such as that a
	// damaged file was set aside; nil discards it.
	Warn func(string)
	// Log receives errors that no call returns; nil discards them.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store is one file of records. It is safe for concurrent use.
type Store struct {
	location location
	// reading is true for a store that must not be written to.
	reading bool

	// mu is held for writing while the file is exchanged.
	mu     sync.RWMutex
	closed bool
	// db is nil where there is no file; file identifies the file that db has open.
	db   *sql.DB
	file fs.FileInfo

	pruning sync.Mutex
	pruned  time.Time
}

// location is where a store's file is, and how it is opened.
type location struct {
	path string
	opts Options
}

func newStore(path string, opts Options) *Store {
	if opts.Busy <= 0 {
		opts.Busy = 5 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Warn == nil {
		opts.Warn = func(string) {}
	}
	return &Store{location: location{path, opts}}
}

// Open opens a store for writing. It creates a missing file and folder, readable by
// the user only, migrates an older file, and sets a damaged one aside.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	s := newStore(path, opts)
	db, err := s.location.connect(ctx)
	if damaged(err) {
		db, err = s.location.replace(ctx, nil)
	}
	if err != nil {
		return nil, s.location.fault(ctx, "open the store", err)
	}
	if err := s.use(db); err != nil {
		return nil, s.location.fault(ctx, "open the store", err)
	}
	return s, nil
}

// use makes a file the one that the store writes to.
func (s *Store) use(db *sql.DB) error {
	file, err := os.Stat(s.location.path)
	if err != nil {
		_ = db.Close()
		return err
	}
	s.db, s.file = db, file
	return nil
}

// OpenReadOnly opens a store for reading, also while others write. A missing store is
// empty until another process creates it. An older file is migrated, and a file that
// replaces the opened one is read instead.
func OpenReadOnly(ctx context.Context, path string, opts Options) (*Store, error) {
	s := newStore(path, opts)
	s.reading = true
	if err := s.renew(ctx); err != nil {
		return nil, s.location.fault(ctx, "open the store", err)
	}
	return s, nil
}

// renew opens the present file, if any, for reading.
func (s *Store) renew(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.db != nil && !s.displaced() {
		return nil
	}
	if s.db != nil {
		_ = s.db.Close()
	}
	s.db = nil
	file, err := os.Stat(s.location.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := s.location.open("ro")
	if err == nil {
		var version int
		if version, err = schemaVersion(ctx, db); err == nil && version != newest {
			_ = db.Close()
			if db, err = s.location.connect(ctx); err == nil {
				_ = db.Close()
				db, err = s.location.open("ro")
			}
		}
	}
	if err != nil {
		if db != nil {
			_ = db.Close()
		}
		return err
	}
	s.db, s.file = db, file
	return nil
}

// Path returns the path of the store's file.
func (s *Store) Path() string { return s.location.path }

// Close closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	if err := db.Close(); err != nil {
		return &core.Error{Code: core.StoreError, Op: "close the store", Err: err}
	}
	return nil
}

// connect opens the file for writing, creates it if need be, and migrates it.
func (p *location) connect(ctx context.Context) (*sql.DB, error) {
	release, err := p.hold(ctx, (*flock.Flock).TryRLockContext)
	if err != nil {
		return nil, err
	}
	defer release()
	return p.connectHeld(ctx)
}

// connectHeld is connect for callers that hold the lock.
func (p *location) connectHeld(ctx context.Context) (*sql.DB, error) {
	if err := p.create(); err != nil {
		return nil, err
	}
	db, err := p.open("rw")
	if err != nil {
		return nil, err
	}
	if err := p.prepare(ctx, db); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// create makes an empty file, for the user alone, where there is none: SQLite gives
// its other files the mode of this one. It opens no file that SQLite may have open: a
// process that closes a descriptor gives up all its locks on that file, those of
// SQLite too (https://www.sqlite.org/howtocorrupt.html, section 2.2).
func (p *location) create() error {
	if _, err := os.Stat(p.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(p.path), filepath.Base(p.path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // at worst an empty file stays
	if err := file.Close(); err != nil {
		return err
	}
	if os.Link(file.Name(), p.path) == nil {
		return nil
	}
	// Another process made it meanwhile, or this file system has no links.
	file, err = os.OpenFile(p.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// open returns the file as a database of one connection, which is made when it
// is first used.
func (p *location) open(mode string) (*sql.DB, error) {
	absolute, err := filepath.Abs(p.path)
	if err != nil {
		return nil, err
	}
	if err := p.regular(); err != nil {
		return nil, err
	}
	query := url.Values{
		"mode": {mode}, "_txlock": {"immediate"}, "_busy_timeout": {strconv.FormatInt(p.opts.Busy.Milliseconds(), 10)},
		"_pragma": {"foreign_keys(1)", "synchronous(NORMAL)"},
	}
	if mode == "ro" {
		query.Set("_txlock", "deferred")
		query.Add("_pragma", "query_only(1)")
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: absolute, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// errIrregular means that SQLite would read an endless file, or write to another
// process.
var errIrregular = errors.New("it is no regular file; move it away")

// regular returns an error if one of the store's files exists and is no regular file.
func (p *location) regular() error {
	for _, part := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(p.path + part)
		if err == nil && !info.Mode().IsRegular() {
			return &fs.PathError{Op: "open", Path: p.path + part, Err: errIrregular}
		}
	}
	return nil
}

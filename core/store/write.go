package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"

	"cupola/core"
)

// errReading is the answer of a store that is open for reading only.
var errReading = &core.Error{Code: core.StoreError, Message: "the store is open for reading only"}

// write does act in one transaction. A file that turns out to be damaged is set
// aside, and act is done on a new one.
func (s *Store) write(ctx context.Context, op string, act func(*sql.Tx) error) error {
	if s.reading {
		return errReading
	}
	db, err := s.attempt(ctx, act)
	if !damaged(err) {
		return s.place.fault(ctx, op, err)
	}
	if err := s.exchange(ctx, db); err != nil {
		return s.place.fault(ctx, op, err)
	}
	_, err = s.attempt(ctx, act)
	return s.place.fault(ctx, op, err)
}

// attempt returns also on which file act was done.
func (s *Store) attempt(ctx context.Context, act func(*sql.Tx) error) (*sql.DB, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return nil, errClosed
	case s.db == nil:
		return nil, damage("it could not be replaced")
	case s.displaced():
		return s.db, damage("another file is in its place")
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.db, err
	}
	if err := act(tx); err != nil {
		tx.Rollback() //nolint:errcheck // err says what matters
		return s.db, err
	}
	return s.db, tx.Commit()
}

// displaced reports whether somebody removed the file, or put another there,
// since it was opened: SQLite would go on to write where nobody reads.
func (s *Store) displaced() bool {
	now, err := os.Stat(s.place.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && s.file != nil && !os.SameFile(s.file, now)
}

// stale reports whether another file may be there than the one that is open.
func (s *Store) stale() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db == nil || s.displaced()
}

// errClosed is the answer of a store that was closed.
var errClosed = errors.New("the store is closed")

// exchange puts a sound file in the place of one that is damaged, unless
// another call has done so.
func (s *Store) exchange(ctx context.Context, bad *sql.DB) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != bad {
		return nil
	}
	s.db = nil
	db, err := s.place.replace(ctx, bad)
	if err != nil {
		return err
	}
	return s.take(db)
}

// read does act on the file; on none, which holds nothing, it does not.
func (s *Store) read(ctx context.Context, op string, act func(*sql.DB) error) error {
	if s.reading && s.stale() {
		if err := s.renew(ctx); err != nil {
			return s.place.fault(ctx, op, err)
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil
	}
	return s.place.fault(ctx, op, act(s.db))
}

// millis is a time as the columns hold it.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// moment is the time that a column holds.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

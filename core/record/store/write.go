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

// errReading is the error of writes to a store that is open for reading only.
var errReading = &core.Error{Code: core.StoreError, Message: "the store is open for reading only"}

// write runs act in one transaction. If the file turns out to be damaged it is set
// aside, and act runs again on a new one.
func (s *Store) write(ctx context.Context, op string, act func(*sql.Tx) error) error {
	if s.reading {
		return errReading
	}
	db, err := s.attempt(ctx, act)
	if !damaged(err) {
		return s.location.fault(ctx, op, err)
	}
	if err := s.exchange(ctx, db); err != nil {
		return s.location.fault(ctx, op, err)
	}
	_, err = s.attempt(ctx, act)
	return s.location.fault(ctx, op, err)
}

// save is write for records that accumulate: it prunes old ones if that is due.
func (s *Store) save(ctx context.Context, op string, act func(*sql.Tx) error) error {
	if err := s.write(ctx, op, act); err != nil {
		return err
	}
	s.tidy(ctx)
	return nil
}

// attempt also returns the file that act ran on.
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

// displaced reports whether the file was removed or replaced since it was opened:
// SQLite would write to a file that no other process reads.
func (s *Store) displaced() bool {
	now, err := os.Stat(s.location.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && s.file != nil && !os.SameFile(s.file, now)
}

// stale reports whether the open file may have been replaced.
func (s *Store) stale() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db == nil || s.displaced()
}

// errClosed is the answer of a store that was closed.
var errClosed = errors.New("the store is closed")

// exchange replaces a damaged file by a sound one, unless another call has done so.
func (s *Store) exchange(ctx context.Context, bad *sql.DB) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != bad {
		return nil
	}
	s.db = nil
	db, err := s.location.replace(ctx, bad)
	if err != nil {
		return err
	}
	return s.use(db)
}

// read runs act on the file; without a file it does nothing.
func (s *Store) read(ctx context.Context, op string, act func(*sql.DB) error) error {
	if s.reading && s.stale() {
		if err := s.renew(ctx); err != nil {
			return s.location.fault(ctx, op, err)
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil
	}
	return s.location.fault(ctx, op, act(s.db))
}

// millis converts a time to the format of the columns.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// moment converts a column to a time.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

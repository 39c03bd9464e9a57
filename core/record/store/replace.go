package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// replace closes was, if not nil, and returns a sound file in its place. Only one
// process sets a damaged file aside.
func (p *location) replace(ctx context.Context, was *sql.DB) (*sql.DB, error) {
	if was != nil {
		_ = was.Close()
	}
	release, err := p.hold(ctx, (*flock.Flock).TryLockContext)
	if err != nil {
		return nil, err
	}
	defer release()
	db, err := p.connectHeld(ctx)
	if err == nil {
		if err = sound(ctx, db); err == nil {
			return db, nil
		}
		_ = db.Close()
	}
	if !damaged(err) {
		return nil, err
	}
	aside, err := p.setAside(err)
	if err != nil {
		return nil, err
	}
	p.opts.Warn("the store was damaged and is now " + aside + "; a new one was started")
	return p.connectHeld(ctx)
}

// hold locks the place: other processes cannot set the file aside or, with the
// exclusive lock, open it for writing. SQLite finds the files beside it by their names:
// a process that opened the file before it was set aside would use the log of the new
// one.
func (p *location) hold(ctx context.Context,
	how func(*flock.Flock, context.Context, time.Duration) (bool, error),
) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(p.path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK),
		flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, p.opts.Busy)
	defer cancel()
	if _, err := how(lock, ctx, retryEvery); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}

// sound returns a damage error if the file is not sound.
func sound(ctx context.Context, db *sql.DB) error {
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return damage(said)
	}
	version, err := schemaVersion(ctx, db)
	if err != nil || version != newest {
		return err
	}
	return complete(ctx, db)
}

// complete returns a damage error if the file lacks a table or a column that the migrations make.
func complete(ctx context.Context, db *sql.DB) error {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer fresh.Close() //nolint:errcheck // nothing was written
	fresh.SetMaxOpenConns(1)
	for version := 0; version < newest; {
		if version, err = migrate(ctx, fresh); err != nil {
			return err
		}
	}
	want, err := columnsOf(ctx, fresh)
	if err != nil {
		return err
	}
	have, err := columnsOf(ctx, db)
	if err != nil {
		return err
	}
	for _, column := range want {
		if !slices.Contains(have, column) {
			return damage("it lacks the " + column)
		}
	}
	return nil
}

// columnsOf describes the columns of a file.
func columnsOf(ctx context.Context, db *sql.DB) ([]string, error) {
	return rowsOf(ctx, db, scan(single[string]), `
		SELECT 'column ' || c.name || ' of the table ' || m.name
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`)
}

// setAside renames the file and those beside it, the write-ahead log first: a new file
// must not find it.
func (p *location) setAside(why error) (string, error) {
	aside := fmt.Sprintf("%s.corrupt-%s", p.path, p.opts.Now().UTC().Format("20060102T150405.000Z"))
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(p.path+part, aside+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	p.opts.Log.Warn("the store was damaged and set aside", "path", aside, "error", why)
	return aside, nil
}

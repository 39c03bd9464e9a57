package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// replace returns a sound file in the place of was, which is closed; nil is none.
// One that stands there and is damaged is set aside, by one process alone.
func (p *place) replace(ctx context.Context, was *sql.DB) (*sql.DB, error) {
	if was != nil {
		_ = was.Close()
	}
	lock := flock.New(p.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, retryEvery); err != nil {
		return nil, err
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	db, err := p.connect(ctx)
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
	p.opts.Told("the store was damaged and is now " + aside + "; a new one is begun")
	return p.connect(ctx)
}

// sound returns an error of damage if the file is not whole.
func sound(ctx context.Context, db *sql.DB) error {
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return damage(said)
	}
	return nil
}

// setAside renames the file and those beside it. The log of changes goes first:
// a new file must not find it.
func (p *place) setAside(why error) (string, error) {
	aside := fmt.Sprintf("%s.corrupt-%s", p.path, p.opts.Now().UTC().Format("20060102T150405.000Z"))
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(p.path+part, aside+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	p.opts.Log.Warn("the store was damaged and set aside", "path", aside, "error", why)
	return aside, nil
}

package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"time"

	"cupola/core"
)

// migrations holds a file for every version of the schema, which migrates from the
// previous version.
//
//go:embed migrations/*.sql
var migrations embed.FS

// newest is the version that this program writes.
const newest = 7

// retryEvery is how often a change for which SQLite does not wait is retried.
const retryEvery = 10 * time.Millisecond

// schemaVersion is 0 for a file without tables.
func schemaVersion(ctx context.Context, db *sql.DB) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// prepare brings the file up to date.
func (p *location) prepare(ctx context.Context, db *sql.DB) error {
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version > newest {
		return p.newerError(version)
	}
	if err := p.writeAhead(ctx, db); err != nil {
		return err
	}
	for version < newest {
		if version, err = migrate(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

// newerError is the error of a file that a newer program wrote.
func (p *location) newerError(version int) error {
	return core.Errorf(core.MigrationFailed, "%s has version %d; this program knows %d", p.path, version, newest)
}

// writeAhead turns on write-ahead logging, so that readers do not wait for writers. It
// is set once per file. SQLite does not wait for the lock here.
func (p *location) writeAhead(ctx context.Context, db *sql.DB) error {
	for end := time.Now().Add(p.opts.Busy); ; {
		var mode string
		err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode)
		if err == nil && mode != "wal" {
			err = db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		}
		if !locked(err) || time.Now().After(end) {
			return err
		}
		if err := core.Sleep(ctx, retryEvery); err != nil {
			return err
		}
	}
}

// migrate runs one migration, unless another process has run it, and returns the new
// version.
func migrate(ctx context.Context, db *sql.DB) (version int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // a transaction that was committed has none
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version >= newest {
		return version, err
	}
	version++
	text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", version))
	if err != nil {
		return 0, err
	}
	for _, step := range []string{string(text), fmt.Sprintf("PRAGMA user_version = %d", version)} {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return 0, fmt.Errorf("to version %d: %w", version, err)
		}
	}
	return version, tx.Commit()
}

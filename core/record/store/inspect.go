package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Health is the state of a store's file.
type Health struct {
	// Exists is false if nothing was recorded yet; the other fields are zero then.
	Exists bool
	// Version is the file's schema version, Newest the one that this program writes.
	Version, Newest int
	Bytes           int64
	// Damage is the fault of the file; empty if it is whole.
	Damage string
}

// Inspect checks every page of a store's file, and changes nothing. It returns
// MigrationFailed for a file of a newer program, and StoreLocked or StoreError if it cannot
// read it.
func Inspect(ctx context.Context, path string, opts Options) (Health, error) {
	health := Health{Newest: newest}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return health, nil
	}
	s := newStore(path, opts)
	if err != nil {
		return health, s.location.fault(ctx, "look at the store", err)
	}
	health.Exists, health.Bytes = true, info.Size()
	db, err := s.location.open("ro")
	if err != nil {
		return health, s.location.fault(ctx, "look at the store", err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	if health.Version, err = schemaVersion(ctx, db); err == nil && health.Version > newest {
		return health, s.location.newerError(health.Version)
	}
	if err == nil {
		err = sound(ctx, db)
	}
	if damaged(err) {
		health.Damage, err = err.Error(), nil
	}
	return health, s.location.fault(ctx, "look at the store", err)
}

// Repair sets a damaged file aside and begins a new one. It keeps a sound file.
func Repair(ctx context.Context, path string, opts Options) error {
	s := newStore(path, opts)
	db, err := s.location.replace(ctx, nil)
	if err != nil {
		return s.location.fault(ctx, "repair the store", err)
	}
	return db.Close()
}

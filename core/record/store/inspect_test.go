package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/record/store"
)

func TestInspectChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cupola.db")
	health, err := store.Inspect(t.Context(), path, store.Options{})
	if err != nil || health.Exists {
		t.Errorf("no file: %+v, %v", health, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it made the file")
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	health, err = store.Inspect(t.Context(), path, store.Options{})
	if err != nil || !health.Exists || health.Damage != "" || health.Version != health.Newest || health.Bytes == 0 {
		t.Errorf("a whole file: %+v, %v", health, err)
	}
}

func TestADamagedFileIsFoundAndSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cupola.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database at all ", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	health, err := store.Inspect(t.Context(), path, store.Options{})
	if err != nil || health.Damage == "" {
		t.Fatalf("got %+v, %v", health, err)
	}
	reported := ""
	if err := store.Repair(t.Context(), path, store.Options{Warn: func(text string) { reported = text }}); err != nil {
		t.Fatal(err)
	}
	if health, err = store.Inspect(t.Context(), path, store.Options{}); err != nil || health.Damage != "" ||
		!strings.Contains(reported, ".corrupt-") {
		t.Errorf("got %+v, %v; told %q", health, err, reported)
	}
	aside, _ := filepath.Glob(path + ".corrupt-*")
	if len(aside) != 1 {
		t.Errorf("set aside: %q", aside)
	}
}

func TestAFileOfANewerProgramIsNotTouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cupola.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Inspect(t.Context(), path, store.Options{}); !core.AsError(err).HasCode(core.MigrationFailed) {
		t.Errorf("got %v", err)
	}
}

package undo_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/undo"
)

func TestActsAreKeptAndTakenOnce(t *testing.T) {
	log := undo.Log{Path: filepath.Join(t.TempDir(), "state", "undo.json")}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for n := range 30 {
		act := undo.Act{At: now.Add(-40*24*time.Hour + time.Duration(n)*time.Minute), Did: "act"}
		if _, err := log.Add(t.Context(), &act); err != nil {
			t.Fatal(err)
		}
	}
	last := undo.Act{At: now, Did: "last", Origin: "dashboard"}
	dropped, err := log.Add(t.Context(), &last)
	acts, readErr := log.All()
	if err != nil || readErr != nil || len(acts) != undo.Shown || len(dropped) != 31-undo.Shown ||
		acts[0].Did != "last" {
		t.Fatalf("%d acts, %d dropped; %v, %v", len(acts), len(dropped), err, readErr)
	}
	if err := log.Take(t.Context(), last.ID, now); err != nil {
		t.Fatal(err)
	}
	if err := log.Take(t.Context(), last.ID, now); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("it was taken twice: %v", err)
	}
	if err := log.Release(t.Context(), last.ID); err != nil {
		t.Fatal(err)
	}
	if acts, _ := log.All(); !acts[0].Undone.IsZero() {
		t.Errorf("an act that was not undone is %+v", acts[0])
	}
	if err := log.Take(t.Context(), "none", now); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("%v", err)
	}
}

func TestADamagedRecordIsSetAside(t *testing.T) {
	log := undo.Log{Path: filepath.Join(t.TempDir(), "undo.json")}
	if err := os.WriteFile(log.Path, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if acts, err := log.All(); len(acts) != 0 || !core.AsError(err).HasCode(core.IOError) {
		t.Errorf("%v, %v", acts, err)
	}
	if _, err := log.Add(t.Context(), &undo.Act{At: time.Now(), Did: "act"}); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(log.Path + ".damaged"); err != nil || string(kept) != "[{" {
		t.Errorf("%q, %v", kept, err)
	}
}

package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

func TestTheSecretStaysTheSame(t *testing.T) {
	book := Book{Dir: filepath.Join(t.TempDir(), "servers")}
	first, err := book.Secret()
	if err != nil || len(first) < secretBytes {
		t.Fatalf("%q %v", first, err)
	}
	if again, err := book.Secret(); err != nil || again != first {
		t.Errorf("then it is %q, %v", again, err)
	}
	file := filepath.Join(book.Dir, secretFile)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info, err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if secret, err := book.Secret(); !core.AsError(err).HasCode(core.IOError) {
		t.Errorf("of a damaged file it is %q, %v", secret, err)
	}
}

func TestAPassIsForOneVisit(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	passes := &Passes{Secret: "a secret", Now: func() time.Time { return now }}
	pass := NewPass("a secret", now)
	until, _, _ := strings.Cut(pass, ".")
	for name, bad := range map[string]string{
		"nothing": "", "a dot": ".", "of another secret": NewPass("another", now), "cut": pass[:len(pass)-1],
		"made longer": "z" + pass, "without the word": until + pass[strings.LastIndexByte(pass, '.'):],
	} {
		if passes.Admit(bad) {
			t.Errorf("%s: %q is let in", name, bad)
		}
	}
	if !passes.Admit(pass) {
		t.Error("it is not let in")
	}
	if passes.Admit(pass) {
		t.Error("it is let in twice")
	}
	late := NewPass("a secret", now)
	now = now.Add(passFor + time.Second)
	if passes.Admit(late) {
		t.Error("it is let in too late")
	}
}

package own_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
)

// A program with another folder for sockets uses the server that was noted, and starts none beside it, also if it was
// opened before. One without a note knows nothing of it.
func TestTheNotedServerIsUsed(t *testing.T) {
	machine := enginetest.Private(t)
	in := func(folder, note string) *own.Server {
		folder = filepath.Join(machine.Dir, folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		opts := own.Opts(enginetest.OwnClient(t, filepath.Join(folder, "s"), machine.Environ))
		opts.Note = note
		s := own.Open(*opts)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	note := filepath.Join(machine.Dir, "state", "note")
	before, one := in("b", note), in("a", note)
	for _, folder := range []string{"a", "b"} {
		t.Cleanup(func() { enginetest.StopOwn(t, filepath.Join(machine.Dir, folder, "s")) })
	}
	launch := engine.Launch{Session: "x", Argv: []string{"/bin/cat"}}
	if _, err := one.Create(t.Context(), launch); err != nil {
		t.Fatal(err)
	}
	if other := in("b", note); other.SocketPath() != one.SocketPath() {
		t.Errorf("%s is used", other.SocketPath())
	} else if l, err := other.List(t.Context(), 0); err != nil || len(l.Sessions) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if loc, err := before.Create(t.Context(), launch); err == nil {
		t.Errorf("a second server has %+v", loc)
	}
	if private := in("b", ""); private.SocketPath() != filepath.Join(machine.Dir, "b", "s") {
		t.Errorf("without a note, %s is used", private.SocketPath())
	}
	if err := one.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		return in("b", note).SocketPath() == filepath.Join(machine.Dir, "b", "s")
	}, nil)
}

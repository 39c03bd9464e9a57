package tmux_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// If $TMUX_TMPDIR is another folder, the server with sessions is reported and none is started beside it, unless that is
// named.
func TestAServerInAnotherFolderIsReported(t *testing.T) {
	enginetest.NeedsTmux(t)
	machine := enginetest.Private(t)
	note := filepath.Join(machine.Dir, "state", "note")
	in := func(folder, socket, note string) *tmux.Server {
		folder = filepath.Join(machine.Dir, folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		environ := append(slices.Clone(machine.Environ), "TMUX_TMPDIR="+folder)
		s, err := tmux.Open(tmux.Options{
			Binary: machine.Binary, ConfigFile: os.DevNull, Environ: environ, Note: note, Socket: socket,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // its server ends with its last session
			l, _ := s.List(context.Background(), 0)
			for _, session := range l.Sessions {
				_ = s.KillSession(context.Background(), session.ID)
			}
		})
		return s
	}
	launch := engine.Launch{Session: "x", Argv: []string{"/bin/cat"}}
	one, other := in("a", "", note), in("b", "", note)
	if found := one.OtherServers(); len(found) != 0 {
		t.Errorf("before: %+v", found)
	}
	made, err := one.Create(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.OtherServer{Socket: one.SocketPath(), Env: "TMUX_TMPDIR=" + filepath.Join(machine.Dir, "a")}
	if found := other.OtherServers(); !slices.Equal(found, []engine.OtherServer{want}) {
		t.Errorf("found %+v, want %+v", found, want)
	}
	_, err = other.Create(t.Context(), launch)
	var otherErr *engine.OtherServerError
	if !errors.As(err, &otherErr) || otherErr.OtherServer != want || otherErr.Missing != other.SocketPath() {
		t.Errorf("beside it: %v", err)
	}
	if found := slices.Concat(one.OtherServers(), in("b", "", "").OtherServers()); len(found) != 0 {
		t.Errorf("the server itself, or a client without a note, finds %+v", found)
	}
	if _, err := in("b", other.SocketPath(), note).Create(t.Context(), launch); err != nil {
		t.Errorf("a server that is named: %v", err)
	}
	if err := one.KillSession(t.Context(), made.Session); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return len(in("c", "", note).OtherServers()) == 0 }, nil)
	if _, err := in("c", "", note).Create(t.Context(), launch); err != nil {
		t.Errorf("once it has ended: %v", err)
	}
}

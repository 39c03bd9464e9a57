package tmux_test

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// Every call reports a server whose socket was deleted, and no second server is started beside it, even if another
// program has left a socket at the path.
func TestAServerWithoutItsSocketIsReported(t *testing.T) {
	enginetest.NeedsTmux(t)
	for _, transport := range transports {
		machine := enginetest.Private(t)
		s, err := tmux.Open(tmux.Options{
			Binary: machine.Binary, Socket: machine.Socket, Transport: transport, Environ: machine.Environ,
		})
		if err != nil {
			t.Fatal(err)
		}
		loc, err := s.Create(t.Context(), engine.Launch{Session: "lives", Argv: []string{"/bin/cat"}})
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(machine.Run("display-message", "-p", "#{pid}")))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGTERM) }) // also if the test has not found it
		if err := os.Remove(machine.Socket); err != nil {
			t.Fatal(err)
		}
		_, listed := s.List(t.Context(), 0)
		_, created := s.Create(t.Context(), engine.Launch{Session: "beside"})
		for name, err := range map[string]error{
			"list": listed, "create": created, "paste": s.Paste(t.Context(), loc.Pane, []byte("x")),
			"press": s.Press(t.Context(), loc.Pane, "Enter"), "kill": s.KillSession(t.Context(), loc.Session),
		} {
			var hidden *engine.HiddenError
			if !errors.As(err, &hidden) ||
				*hidden != (engine.HiddenError{PID: pid, Socket: machine.Socket}) {
				t.Errorf("%s, %s: %v", transport, name, err)
			}
		}
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: machine.Socket, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		stale.SetUnlinkOnClose(false)
		_ = stale.Close()
		if _, err := s.List(t.Context(), 0); !errors.Is(err, engine.ErrHidden) {
			t.Errorf("%s, behind a socket of nobody: %v", transport, err)
		}
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			l, err := s.List(t.Context(), 0)
			return err == nil && len(l.Sessions) == 1 && l.Sessions[0].Name == "lives"
		}, nil)
	}
}

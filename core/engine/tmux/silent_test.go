package tmux_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// TestAStoppedServerDoesNotAnswer tries a server that was asked before and one that was
// not, and then ends both.
func TestAStoppedServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for _, transport := range transports {
		for name, known := range map[string]bool{"known": true, "unknown": false} {
			t.Run(transport+", "+name, func(t *testing.T) {
				t.Parallel()
				server := enginetest.Private(t)
				loc, err := open(t, server, transport).Create(t.Context(),
					engine.Launch{Session: "s", Argv: []string{"cat"}})
				if err != nil {
					t.Fatal(err)
				}
				s, err := tmux.Open(tmux.Options{
					Binary: server.Binary, Socket: server.Socket, Transport: transport, Environ: server.Environ,
					Timeout: 200 * time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				if known {
					enginetest.Eventually(t, enginetest.Timeout, func() bool {
						_, err := s.List(t.Context(), 0)
						return err == nil
					}, func() string { return "it is never listed" })
				}
				pid, err := strconv.Atoi(strings.TrimSpace(server.Run("display-message", "-p", "#{pid}")))
				if err != nil {
					t.Fatal(err)
				}
				enginetest.Suspend(t, pid)
				t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
				_, listed := s.List(t.Context(), 0)
				_, captured := s.Capture(t.Context(), engine.Ask{Pane: loc.Pane})
				pasted := s.Paste(t.Context(), loc.Pane, []byte("x"))
				for what, err := range map[string]error{"List": listed, "Capture": captured, "Paste": pasted} {
					if !errors.Is(err, engine.ErrSilent) || errors.Is(err, engine.ErrNoServer) {
						t.Errorf("%s: %v", what, err)
					}
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				var gone error
				enginetest.Eventually(t, enginetest.Timeout, func() bool {
					_, gone = s.List(t.Context(), 0)
					return errors.Is(gone, engine.ErrNoServer)
				}, func() string { return "a killed server is " + gone.Error() })
				if _, err := os.Stat(server.Socket); err != nil {
					t.Errorf("the socket of a killed server: %v", err)
				}
			})
		}
	}
}

package tmux_test

import (
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// transports are the transports that every test runs on.
var transports = []string{tmux.Exec, tmux.Socket}

// open opens a private server on one transport.
func open(t testing.TB, server *enginetest.Tmux, transport string) *tmux.Server {
	t.Helper()
	enginetest.NeedsTmux(t)
	s, err := tmux.Open(tmux.Options{
		Binary: server.Binary, Socket: server.Socket, Transport: transport,
		Environ: server.Environ,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// eachTransport runs a test on a private server, once for each transport, in parallel with
// other tests.
func eachTransport(t *testing.T, test func(t *testing.T, server *enginetest.Tmux, s *tmux.Server)) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			server := enginetest.Private(t)
			test(t, server, open(t, server, transport))
		})
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			enginetest.Contract(t, func(t *testing.T) engine.Engine {
				return open(t, enginetest.Private(t), transport)
			})
		})
	}
}

package fleettest

import (
	"testing"

	"cupola/core/engine/engines"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// EngineOf returns the engine of a private server: tmux, or Cupola's own where tests run on that. The transport is one
// of tmux; empty for the usual one.
func EngineOf(t testing.TB, server *enginetest.Tmux, transport string) engines.Engine {
	t.Helper()
	if server.Binary == "" {
		return enginetest.OwnClient(t, server.Socket, server.Environ)
	}
	engine, err := tmux.Open(tmux.Options{
		Binary: server.Binary, Socket: server.Socket, Transport: transport, Environ: server.Environ,
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// EngineAt returns the engine of a private server that another process of the test has started, by its socket.
func EngineAt(t testing.TB, socket string) engines.Engine {
	t.Helper()
	engine, err := engines.Open(engines.Options{Tmux: tmux.Options{Socket: socket}})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

package output

import (
	"log/slog"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// open returns a Reader over an engine, at noon. It follows nothing.
func open(t testing.TB, eng engine.Engine) *Reader {
	t.Helper()
	kinds, log := fleettest.Kinds(t, fleettest.StubKind), slog.New(slog.DiscardHandler)
	now := func() time.Time { return fleettest.Noon }
	resolver := resolve.New(kinds, false)
	observer := observe.New(observe.Options{
		Engine: eng, Kinds: kinds, Resolver: resolver, Dir: rundir.New(eng, "", "", now, log), Now: now, Log: log,
	})
	return New(Options{Engine: eng, Resolver: resolver, Observer: observer, Now: now})
}

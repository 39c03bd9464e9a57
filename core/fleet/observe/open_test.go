package observe

import (
	"log/slog"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// optionsFor returns the options of an Observer of the built-in kinds, at noon. An empty runtime is no runtime
// directory.
func optionsFor(t testing.TB, eng engine.Engine, runtime string) Options {
	t.Helper()
	o := Options{
		Engine: eng, Kinds: fleettest.BuiltinKinds(t), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return fleettest.Noon },
	}
	o.Resolver = resolve.New(o.Kinds, false)
	o.Dir = rundir.New(eng, runtime, "", o.Now, o.Log)
	return o
}

// observerOf returns an Observer without a runtime directory.
func observerOf(t testing.TB, eng engine.Engine) *Observer {
	t.Helper()
	return New(optionsFor(t, eng, ""))
}

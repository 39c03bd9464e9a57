package fleet_test

import (
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
)

// openFake opens a fleet over a fake engine.
func openFake(t testing.TB, eng engine.Engine, change ...func(*fleet.Options)) *fleet.Fleet {
	t.Helper()
	options := fleet.Options{
		Engine: eng, Kinds: fleettest.Kinds(t, fleettest.StubKind), Self: "/opt/cupola",
		Now:     func() time.Time { return fleettest.Noon },
		Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
	}
	for _, c := range change {
		c(&options)
	}
	return fleet.Open(options)
}

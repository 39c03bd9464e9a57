package fleet_test

import (
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"testing"
	"time"
)

// staged is a fleet over a puppet.
func staged(t testing.TB, p *fleettest.Engine) *fleet.Fleet {
	t.Helper()
	return fleet.Open(fleet.Options{
		Engine: p, Kinds: fleettest.Kinds(t, fleettest.StubKind), Self: "/opt/cupola", Now: func() time.Time { return fleettest.Noon },
		Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
	})
}

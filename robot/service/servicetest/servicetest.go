// Package servicetest is a service over a fleet of two sessions, for the tests of servers.
package servicetest

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
	"cupola/robot"
	"cupola/robot/service"
)

// New returns a service that calls all verbs, on the fleet of verbtest.
func New(t *testing.T) *service.Service {
	t.Helper()
	t.TempDir() // those of calls are below it, and go after all that is cleaned up from here on
	catalog := catalog.All()
	return &service.Service{
		Catalog: catalog, Border: registry.Border{Level: registry.Writes},
		Open: func(progress core.ProgressFunc) (*robot.Face, func()) {
			env := verbtest.Open(t, &verbtest.Server{}, catalog)
			env.Progress = progress
			return Face(env), func() { _ = env.Close() }
		},
	}
}

// Face is a face on an environment, without its output, at the time of verbtest.
func Face(env registry.Env) *robot.Face {
	return &robot.Face{
		Env: env, Now: func() time.Time { return verbtest.Noon }, Started: verbtest.Noon,
		Revision: func() core.Revision { return 0 },
	}
}

// Package announce tells other processes what this one did or heard: in tags on the panes, which
// whoever looks later reads, and over the keeper's socket, if a keeper runs. What cannot be told
// is logged and stops nothing.
package announce

import (
	"context"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/rundir"
)

// Journal records alerts.
type Journal interface {
	SaveAlerts(ctx context.Context, alerts []core.Alert) error
}

// Options is what an Announcer is made of. All but Journal are required.
type Options struct {
	Engine  engine.Engine
	Dir     *rundir.Dir
	Journal Journal
	// Environ is the environment of this process, as NAME=VALUE.
	Environ []string
	Now     func() time.Time
	Log     *slog.Logger
}

// Announcer tells other processes what happened. Its methods may be called concurrently.
type Announcer struct {
	engine  engine.Engine
	dir     *rundir.Dir
	journal Journal
	environ []string
	now     func() time.Time
	log     *slog.Logger
}

// New returns an Announcer.
func New(o Options) *Announcer {
	return &Announcer{engine: o.Engine, dir: o.Dir, journal: o.Journal, environ: o.Environ, now: o.Now, log: o.Log}
}

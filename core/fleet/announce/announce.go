// Package announce publishes what this process did or observed to other processes: in tags on panes, which
// later calls read, and over the keeper's socket, if a keeper runs. Failures are logged and stop nothing.
package announce

import (
	"context"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/rundir"
)

// Journal records alerts.
type Journal interface {
	SaveAlerts(ctx context.Context, alerts []core.Alert) error
}

// Options configures an Announcer. All fields but Journal are required.
type Options struct {
	Engine  engine.Engine
	Dir     *rundir.Dir
	Journal Journal
	// Environ is the environment of this process, as NAME=VALUE.
	Environ []string
	// Kinds recognises the processes of agents that send hook reports; nil recognises none.
	Kinds *agent.Kinds
	Now   func() time.Time
	Log   *slog.Logger
}

// Announcer publishes events to other processes. Its methods may be called concurrently.
type Announcer struct{ opts Options }

// New returns an Announcer.
func New(o Options) *Announcer { return &Announcer{o} }

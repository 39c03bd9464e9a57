package fleet

import (
	"log/slog"
	"time"

	"cupola/core/agent"
	"cupola/core/engine"
)

// Options is what a Fleet is made of. Engine and Kinds are required.
type Options struct {
	Engine engine.Engine
	Kinds  *agent.Kinds
	// Runtime is the folder of the keeper's lock and socket. It is made, for the
	// user alone, when something must be written; empty means no keeper.
	Runtime string
	// Self is the path of this executable, for agents that are part of it.
	Self string
	// Environ is what new panes get PATH and SHELL from, as NAME=VALUE.
	Environ []string
	// HideForeign leaves out sessions that Cupola did not make.
	HideForeign bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log takes what is worth keeping; nil discards it.
	Log *slog.Logger
}

package observe

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// Options configures an Observer. All but Self are required.
type Options struct {
	Engine   engine.Engine
	Kinds    *agent.Kinds
	Resolver *resolve.Resolver
	Dir      *rundir.Dir
	// Self is the path of this executable; a screen cache that another executable wrote is
	// not used.
	Self string
	Now  func() time.Time
	Log  *slog.Logger
}

// Observer takes snapshots of one engine. Its methods may be called concurrently.
type Observer struct {
	engine   engine.Engine
	kinds    *agent.Kinds
	resolver *resolve.Resolver
	dir      *rundir.Dir
	self     string
	now      func() time.Time
	log      *slog.Logger
	seen     processCache
}

// New returns an Observer. It does not query the engine.
func New(o Options) *Observer {
	return &Observer{
		engine: o.Engine, kinds: o.Kinds, resolver: o.Resolver, dir: o.Dir, self: o.Self, now: o.Now, log: o.Log,
	}
}

// rules returns a word that changes with the program and with the kinds' rules.
func (o *Observer) rules() string {
	info, err := os.Stat(o.self)
	if err != nil {
		return fmt.Sprint(o.kinds.Stamp())
	}
	return fmt.Sprintf("%x-%x-%x", info.ModTime().UnixNano(), info.Size(), o.kinds.Stamp())
}

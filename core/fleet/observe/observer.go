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
	// Recording are the settings of the record of running sessions.
	Recording rundir.Recording
	// Self is the path of this executable; a screen cache that another executable wrote is
	// not used.
	Self string
	Now  func() time.Time
	Log  *slog.Logger
}

// Observer takes snapshots of one engine. Its methods may be called concurrently.
type Observer struct {
	opts Options
	seen processCache
	ran  recorder
	// shown records the texts of shells.
	shown shownRecorder
}

// New returns an Observer. It asks the engine nothing.
func New(o Options) *Observer {
	return &Observer{opts: o, ran: recorder{opts: &o}, shown: shownRecorder{opts: &o}}
}

// rules returns a word that changes with the program and with the kinds' rules.
func (o *Observer) rules() string {
	info, err := os.Stat(o.opts.Self)
	if err != nil {
		return fmt.Sprint(o.opts.Kinds.Stamp())
	}
	return fmt.Sprintf("%x-%x-%x", info.ModTime().UnixNano(), info.Size(), o.opts.Kinds.Stamp())
}

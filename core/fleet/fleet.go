package fleet

import (
	"context"
	"log/slog"
	"os"
	"time"

	"cupola/core/agent"
	"cupola/core/alert"
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
	// Environ is what new panes get PATH and SHELL from, as NAME=VALUE; nil is
	// this process's own.
	Environ []string
	// HideForeign leaves out sessions that Cupola did not make; people are told of alerts
	// about them only with TellForeign.
	HideForeign, TellForeign bool
	// Journal keeps prompts, events and alerts; nil keeps none of them.
	Journal Journal
	// Thresholds say from when on something is an alert; those that are zero turn
	// their rules off, so that nothing depends on the machine's disks and clocks
	// unasked.
	Thresholds alert.Thresholds
	// Notify is told of every change of an alert while this process keeps the
	// picture. It must not block.
	Notify func(alert.Change)
	// Afford is asked before a prompt goes to agents of some sessions, and refuses it
	// with BudgetExceeded; nil refuses none.
	Afford func(ctx context.Context, sessions []string) error
	// Spends returns what was spent under each ceiling, for the alerts; nil is
	// nothing. Whoever keeps the picture asks now and then.
	Spends func(context.Context) ([]alert.Spend, error)
	// Passed returns the ceilings of which a share is known to be passed, without
	// counting anything; nil is nothing. Every picture asks, so it must be quick.
	Passed func(context.Context) ([]alert.Spend, error)
	// Renamed is told that a session has got another name, for what is on record of it;
	// nil is told nothing. Its failure undoes nothing.
	Renamed func(ctx context.Context, from, to string) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log takes what is worth keeping; nil discards it.
	Log *slog.Logger
}

// Fleet is the live picture of one engine. Its methods may be called
// concurrently; each returns *core.Error or nil.
type Fleet struct{ lookout }

// lookout is all that can be seen: pictures, what changes, screens, alerts.
type lookout struct {
	launcher
	rooms      rooms
	thresholds alert.Thresholds
	notify     func(alert.Change)
	// tellForeign has people told of what is hidden from answers.
	tellForeign bool
	afford      func(ctx context.Context, sessions []string) error
	spends      func(context.Context) ([]alert.Spend, error)
	spent       func(context.Context) ([]alert.Spend, error)
	renamed     func(ctx context.Context, from, to string) error
}

// observer asks the engine and makes pictures of what it answers.
type observer struct {
	engine  engine.Engine
	kinds   *agent.Kinds
	runtime string
	// barred says why the runtime folder is not used; nil where it is, or there is none.
	barred error
	now    func() time.Time
	log    *slog.Logger
	// journal keeps what must outlive this process; nil without one.
	journal Journal
	seen    sightings
	// hideForeign leaves the sessions of others out of answers about all.
	hideForeign bool
}

// launcher makes sessions and panes and waits for the agents in them.
type launcher struct {
	observer
	self    string
	environ []string
}

// Open returns a Fleet. It asks the engine nothing and makes no file.
func Open(opts Options) *Fleet {
	f := &Fleet{lookout{notify: opts.Notify, tellForeign: opts.TellForeign, thresholds: opts.Thresholds}}
	f.afford, f.spends, f.spent, f.renamed = opts.Afford, opts.Spends, opts.Passed, opts.Renamed
	f.journal = opts.Journal
	f.engine, f.kinds, f.runtime, f.now, f.log = opts.Engine, opts.Kinds, opts.Runtime, opts.Now, opts.Log
	if opts.Runtime != "" {
		if f.barred = CheckRuntime(opts.Runtime); f.barred != nil {
			f.runtime = ""
		}
	}
	f.self, f.environ, f.hideForeign = opts.Self, opts.Environ, opts.HideForeign
	if f.environ == nil {
		f.environ = os.Environ()
	}
	if f.now == nil {
		f.now = time.Now
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	return f
}

// Close releases the engine; it ends nothing on the server.
func (f *Fleet) Close() error {
	return translate("close", f.engine.Close())
}

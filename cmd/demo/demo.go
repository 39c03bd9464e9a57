package demo

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"cupola/core/agent"
	"cupola/core/engine/own"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/record/store"
)

// Options are the parts and settings of a demo. Self and Kinds are required.
type Options struct {
	// Self is the path of this executable, which runs the scripted agents.
	Self string
	// Kinds are the kinds of the displayed fleet.
	Kinds *agent.Kinds
	// Engine is the kind of the terminal server, as core/engine/engines has them, and Transport how tmux is talked to;
	// empty leaves the choice to them. Own are the options of Cupola's own server.
	Engine, Transport string
	Own               own.Options
	// Environ is the environment of the terminal server and its panes, as
	// NAME=VALUE; nil is this process's own.
	Environ []string
	// Temp is the folder in which demos make their own; empty is the system's.
	Temp string
	// Journal makes what records the fleet on a server; nil records nothing.
	Journal func(socket string) fleet.Journal
	// Spent records on a server what agents used; nil records nothing.
	Spent func(ctx context.Context, socket string, parts []store.UsagePart) error
	// Log takes what is worth keeping; nil discards it.
	Log *slog.Logger
}

func (o *Options) fill() {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Temp = cmp.Or(o.Temp, os.TempDir())
}

// journal may be nil.
func (o *Options) journal(socket string) fleet.Journal {
	if o.Journal == nil {
		return nil
	}
	return o.Journal(socket)
}

// Open shows a fleet until its user leaves or ctx ends. Socket is the path of
// its server's socket.
type Open func(ctx context.Context, f *fleet.Fleet, socket string) error

// Run starts a demo, opens it, and ends all of it however open ends, also by a
// panic. Until then no signal but SIGKILL ends this process; the
// caller ends ctx. The error is open's, or a *core.Error.
func Run(ctx context.Context, opts Options, open Open) (err error) {
	opts.fill()
	defer holdSignals()()
	opts.tidy(ctx)
	d, err := newDemoDir(opts.Temp)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, d.end(ctx, &opts)) }()
	f, err := d.start(ctx, &opts)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return open(ctx, f, d.socket())
}

// Kept is a demo that stays up.
type Kept struct {
	// Socket is the path of its server's socket.
	Socket string
	// Sessions are the names of its sessions; Agents counts what runs in them.
	Sessions []string
	Agents   int
	// Started is false for one that was up before.
	Started bool
}

// Keep starts a demo that outlives this process, or finds the one that is kept
// already, and passes it to report. If report fails, a demo that was started is
// ended. The error is report's, or a *core.Error.
func Keep(ctx context.Context, opts Options, report func(Kept) error) (err error) {
	opts.fill()
	defer holdSignals()()
	opts.tidy(ctx)
	if d := findKept(ctx, opts.Temp); d != nil {
		f, err := d.fleet(&opts, opts.Kinds)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return reportKept(ctx, f, Kept{Socket: d.socket()}, report)
	}
	d, err := newDemoDir(opts.Temp)
	if err != nil {
		return err
	}
	reported := false
	defer func() {
		if !reported {
			err = cmp.Or(err, d.end(ctx, &opts))
		}
		d.release()
	}()
	f, err := d.start(ctx, &opts)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := d.keep(); err != nil {
		return err
	}
	if err := reportKept(ctx, f, Kept{Socket: d.socket(), Started: true}, report); err != nil {
		return err
	}
	reported = true
	return nil
}

func reportKept(ctx context.Context, f *fleet.Fleet, kept Kept, report func(Kept) error) error {
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return err
	}
	kept.Agents = snapshot.Counts().Agents
	kept.Sessions = make([]string, len(snapshot.Sessions))
	for i := range snapshot.Sessions {
		kept.Sessions[i] = snapshot.Sessions[i].Name
	}
	return report(kept)
}

// Stop ends every demo that is kept, and what killed ones left. It returns the
// sockets of the servers that it ended; none is no error.
func Stop(ctx context.Context, opts Options) ([]string, error) {
	opts.fill()
	defer holdSignals()()
	return opts.sweep(ctx, func(*demoDir) bool { return true })
}

// holdSignals keeps signals from ending this process until release is called: what
// was started must be ended first. SIGPIPE is among them.
func holdSignals() (release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}

package demo

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"cupola/core/agent"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
)

// Options is what a demo is made of. Self and Kinds are required.
type Options struct {
	// Self is the path of this executable, which plays the agents.
	Self string
	// Kinds are what the fleet that is shown knows.
	Kinds *agent.Kinds
	// Transport is one of core/engine/tmux; empty leaves the choice to it.
	Transport string
	// Environ is the environment of the terminal server and its panes, as
	// NAME=VALUE; nil is this process's own.
	Environ []string
	// Temp is the folder in which demos make theirs; empty is the system's.
	Temp string
	// Journal makes what records the fleet on a server; nil records nothing.
	Journal func(socket string) fleet.Journal
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

// Open shows a fleet until somebody leaves or ctx ends. Socket is the path of
// its server's socket.
type Open func(ctx context.Context, f *fleet.Fleet, socket string) error

// Run raises a demo, opens it, and ends all of it however open ends, also by a
// panic. Until then no signal but SIGKILL ends this process; it is up to the
// caller to end ctx. The error is open's, or a *core.Error.
func Run(ctx context.Context, opts Options, open Open) (err error) {
	opts.fill()
	defer endure()()
	opts.tidy(ctx)
	s, err := newStage(opts.Temp)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, s.end(ctx, &opts)) }()
	f, err := s.raise(ctx, &opts)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return open(ctx, f, s.socket())
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

// Keep raises a demo that outlives this process, or finds the one that is kept
// already. It is passed to tell; a demo that was started and could not be told
// of is ended again. The error is tell's, or a *core.Error.
func Keep(ctx context.Context, opts Options, tell func(Kept) error) (err error) {
	opts.fill()
	defer endure()()
	opts.tidy(ctx)
	if s := standing(ctx, opts.Temp); s != nil {
		f, err := s.fleet(&opts, opts.Kinds)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return tellOf(ctx, f, Kept{Socket: s.socket()}, tell)
	}
	s, err := newStage(opts.Temp)
	if err != nil {
		return err
	}
	told := false
	defer func() {
		if !told {
			err = cmp.Or(err, s.end(ctx, &opts))
		}
		s.release()
	}()
	f, err := s.raise(ctx, &opts)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := s.keep(); err != nil {
		return err
	}
	if err := tellOf(ctx, f, Kept{Socket: s.socket(), Started: true}, tell); err != nil {
		return err
	}
	told = true
	return nil
}

func tellOf(ctx context.Context, f *fleet.Fleet, kept Kept, tell func(Kept) error) error {
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return err
	}
	kept.Agents = snapshot.Counts().Agents
	kept.Sessions = make([]string, len(snapshot.Sessions))
	for i := range snapshot.Sessions {
		kept.Sessions[i] = snapshot.Sessions[i].Name
	}
	return tell(kept)
}

// Stop ends every demo that is kept, and what killed ones left. It returns the
// sockets of the servers that it ended; none is no error.
func Stop(ctx context.Context, opts Options) ([]string, error) {
	opts.fill()
	defer endure()()
	return opts.sweep(ctx, func(*stage) bool { return true })
}

// endure keeps signals from ending this process until release is called: what
// was raised must be taken down first. Closed pipes are such a signal, too.
func endure() (release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}

// Package fleet is all that can be read and done on one engine: the struct Fleet, which holds
// one service for each job. Open makes them; each has its package below this one:
//
//	resolve       finds the panes and sessions that names mean
//	observe       makes snapshots with the state of every agent
//	overview      snapshots as callers get them: with alerts, without what is hidden
//	keeper        one shared snapshot for all processes, and streams of what changes
//	await         waits until panes reach a state
//	deliver       types prompts, answers, interrupts and keys
//	continuation  continues agents after limits
//	approval      approves what rules of agents approve
//	queue         keeps prompts until agents are idle
//	lifecycle     starts, restarts, adopts, renames and ends
//	output        reads what panes show
//	conversation  reads what agents recorded: replies, context, whether a prompt is answered
//	worklog       what changed in working trees, and which agent changed it
//	announce      sends other processes what this one did or received
//
// Below these are terminal (captures one pane and types into it), measure (what no snapshot
// shows), schedule (acts on panes once something is due), rundir (files and locks), wire (the
// keeper's protocol), panetag (values of tags), parallel and fault (errors).
//
// Services hold each other in named fields, and only those below them. Only keeper starts
// goroutines that outlive a call; they end with the context of a subscription. No service
// knows a face: no flag, no format, no style.
package fleet

import (
	"context"
	"log/slog"
	"os"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/approval"
	"cupola/core/fleet/await"
	"cupola/core/fleet/continuation"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/overview"
	"cupola/core/fleet/queue"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/worklog"
	"cupola/core/git/worktree"
)

// Journal records what must outlive this process: prompts, events and alerts. It belongs to one
// engine, and its methods may be called concurrently. If it fails, the operation that it would
// have recorded continues.
type Journal interface {
	deliver.Journal
	queue.Journal
	conversation.Journal
	overview.Journal
	keeper.Journal
}

// Options configures a Fleet. Engine and Kinds are required.
type Options struct {
	Engine engine.Engine
	Kinds  *agent.Kinds
	// Runtime is the runtime directory. It is made, for the user alone, when something
	// must be written; empty means no keeper.
	Runtime string
	// Lasting is the folder of the record of what runs, which outlives the machine; empty is Runtime.
	Lasting string
	// Recording are the settings of the record of running sessions.
	Recording rundir.Recording
	// Self is the path of this executable, for agents that are part of it.
	Self string
	// Sandboxes hold what is started; nil where none can.
	Sandboxes *sandbox.Set
	// Environ is the environment, as NAME=VALUE, that new panes inherit, less what belongs to this terminal; nil means
	// this process's own.
	Environ []string
	// Trees are the settings of new worktrees of agents, which are set up in the environment Environ.
	Trees worktree.Options
	// HideForeign leaves out sessions that Cupola did not make; the user is notified of
	// alerts about them only with NotifyForeign.
	HideForeign, NotifyForeign bool
	// Journal keeps prompts, events and alerts; nil keeps none of them.
	Journal Journal
	// Thresholds are the limits above which alerts are raised; a zero one turns its rule
	// off.
	Thresholds alert.Thresholds
	// Notify gets every change of an alert while this process is the keeper. It must
	// not block.
	Notify func(alert.Change)
	// Afford is called before a prompt goes to agents of some sessions, and refuses it with
	// BudgetExceeded; nil refuses none.
	Afford func(ctx context.Context, sessions []string) error
	// Spends returns what was spent under each ceiling, for the alerts; nil is nothing. A
	// keeper polls it.
	Spends func(context.Context) ([]alert.Spend, error)
	// Passed returns the ceilings with a share that is recorded as passed, without counting
	// usage; nil is nothing. Every snapshot calls it, so it must be quick.
	Passed func(context.Context) ([]alert.Spend, error)
	// Notices returns what became of work without panes, for the alerts; nil is nothing. Every snapshot
	// asks, so it must be quick.
	Notices func(context.Context) ([]alert.Notice, error)
	// Renamed is called after a session got another name, to move its records;
	// nil ignores it. A failure does not undo the rename.
	Renamed func(ctx context.Context, from, to string) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log receives errors that no call returns; nil discards them.
	Log *slog.Logger
}

// Fleet holds the services of one engine. They may be used concurrently. The errors that
// their methods return are *core.Error.
type Fleet struct {
	// Resolver finds the panes and agent kinds that names mean.
	Resolver *resolve.Resolver
	// Dir is the runtime directory, which shows whether a keeper runs, and its revision.
	Dir *rundir.Dir
	// Observer explains the states of agents.
	Observer *observe.Observer
	// Overview takes snapshots with alerts.
	Overview *overview.Overview
	// Streams subscribes to what changes.
	Streams *keeper.Streams
	// Waiter waits until panes reach a state.
	Waiter *await.Waiter
	// Sender delivers prompts, answers, interrupts and keys.
	Sender *deliver.Sender
	// Queue keeps prompts until their agents are idle.
	Queue *queue.Queue
	// Launcher starts, restarts and ends agents.
	Launcher *lifecycle.Launcher
	// Labels gives agents the user's own words.
	Labels *lifecycle.Labels
	// Output reads what panes show.
	Output *output.Reader
	// Conversations reads what agents recorded of their work.
	Conversations *conversation.Reader
	// Surveyor reports what changed in working trees.
	Surveyor *worklog.Surveyor
	// Announcer handles the reports of agents' hooks.
	Announcer *announce.Announcer

	engine engine.Engine
}

// Open returns a Fleet. It does not query the engine and creates no file.
func Open(o Options) *Fleet {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	o.Trees.Environ = o.Environ
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Fleet{engine: o.Engine}
	f.Resolver = resolve.New(o.Kinds, o.HideForeign)
	f.Dir = rundir.New(o.Engine, o.Runtime, o.Lasting, o.Now, o.Log)
	f.Observer = observe.New(observe.Options{
		Engine: o.Engine, Kinds: o.Kinds, Resolver: f.Resolver, Dir: f.Dir, Recording: o.Recording, Self: o.Self,
		Now: o.Now, Log: o.Log,
	})
	f.Conversations = conversation.New(conversation.Options{
		Engine: o.Engine, Observer: f.Observer, Resolver: f.Resolver, Journal: o.Journal, Dir: f.Dir,
		Now: o.Now, Log: o.Log,
	})
	f.Announcer = announce.New(announce.Options{
		Engine: o.Engine, Dir: f.Dir, Journal: o.Journal, Environ: o.Environ, Kinds: o.Kinds, Now: o.Now,
		Log: o.Log,
	})
	f.Surveyor = worklog.New(worklog.Options{
		Observer: f.Observer, Conversations: f.Conversations, Dir: f.Dir, Environ: o.Environ, Log: o.Log,
	})
	f.Overview = overview.New(overview.Options{
		Engine: o.Engine, Dir: f.Dir, Resolver: f.Resolver, Observer: f.Observer, Announcer: f.Announcer,
		Journal: o.Journal, Thresholds: o.Thresholds, Spends: o.Spends, Passed: o.Passed, Notices: o.Notices,
		Now: o.Now, Log: o.Log,
	})
	f.Sender = deliver.New(deliver.Options{
		Engine: o.Engine, Kinds: o.Kinds, Dir: f.Dir, Resolver: f.Resolver, Observer: f.Observer,
		Conversations: f.Conversations, Announcer: f.Announcer, Journal: o.Journal, Afford: o.Afford,
		Environ: o.Environ, Now: o.Now, Log: o.Log,
	})
	waiting := queue.Options{
		Engine: o.Engine, Resolver: f.Resolver, Observer: f.Observer, Conversations: f.Conversations,
		Sender: f.Sender, Dir: f.Dir, Now: o.Now, Log: o.Log,
		Wait: func(ctx context.Context, request await.Request) (*await.Result, error) {
			return f.Waiter.Wait(ctx, request)
		},
	}
	if o.Journal != nil {
		waiting.Journal = o.Journal
	}
	f.Queue = queue.New(waiting)
	f.Streams = keeper.New(keeper.Options{
		Engine: o.Engine, Dir: f.Dir, Observer: f.Observer, Conversations: f.Conversations, Surveyor: f.Surveyor,
		Monitors: []keeper.Monitor{
			continuation.New(continuation.Options{
				Engine: o.Engine, Observer: f.Observer, Sender: f.Sender, Now: o.Now, Log: o.Log,
			}),
			approval.New(approval.Options{Sender: f.Sender, Now: o.Now, Log: o.Log}),
			queue.NewMonitor(f.Queue),
		},
		Preview: f.preview, Journal: o.Journal, HideForeign: o.HideForeign, NotifyForeign: o.NotifyForeign,
		Thresholds: o.Thresholds,
		Notify:     o.Notify, Spends: o.Spends, Notices: o.Notices, Now: o.Now, Log: o.Log,
	})
	f.Output = output.New(output.Options{
		Engine: o.Engine, Resolver: f.Resolver, Observer: f.Observer, Streams: f.Streams, Now: o.Now,
	})
	f.Waiter = await.New(await.Options{
		Engine: o.Engine, Resolver: f.Resolver, Observer: f.Observer, Conversations: f.Conversations,
		Announcer: f.Announcer, Streams: f.Streams, Now: o.Now,
	})
	f.Labels = lifecycle.NewLabels(o.Engine, f.Observer, f.Resolver)
	f.Launcher = lifecycle.New(lifecycle.Options{
		Engine: o.Engine, Kinds: o.Kinds, Dir: f.Dir, Resolver: f.Resolver, Observer: f.Observer,
		Conversations: f.Conversations, Announcer: f.Announcer, Sender: f.Sender, Self: o.Self, Environ: o.Environ,
		Sandboxes: o.Sandboxes, Trees: o.Trees, Renamed: o.Renamed, Now: o.Now, Log: o.Log,
	})
	return f
}

// preview takes the snapshot that a display shows until the shared one is there.
func (f *Fleet) preview(ctx context.Context) (*core.Snapshot, error) {
	return f.Overview.Snapshot(ctx, observe.View{})
}

// Close releases the engine; it ends nothing on the server.
func (f *Fleet) Close() error { return fault.Wrap("close", f.engine.Close()) }

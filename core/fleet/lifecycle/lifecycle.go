// Package lifecycle starts, restarts, adopts, renames and ends sessions and panes with their agents.
// Each request is planned and checked first; a failure during its execution removes what was
// created.
package lifecycle

import (
	"context"
	"log/slog"
	"time"

	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/git/worktree"
)

// Options configures a Launcher. All fields but Renamed are required.
type Options struct {
	Engine        engine.Engine
	Kinds         *agent.Kinds
	Dir           *rundir.Dir
	Resolver      *resolve.Resolver
	Observer      *observe.Observer
	Conversations *conversation.Reader
	Announcer     *announce.Announcer
	Sender        *deliver.Sender
	// Self is the path of this executable, for agents that are part of it.
	Self string
	// Sandboxes hold what is started; nil where none can.
	Sandboxes *sandbox.Set
	// Environ is the environment, as NAME=VALUE, that new panes inherit, less what belongs to this terminal.
	Environ []string
	// Trees are the settings of new worktrees of agents.
	Trees worktree.Options
	// Renamed is called after a session got another name, to move its records;
	// nil ignores it. A failure does not undo the rename.
	Renamed func(ctx context.Context, from, to string) error
	Now     func() time.Time
	Log     *slog.Logger
}

// Launcher starts and ends agents. Its methods may be called concurrently.
type Launcher struct {
	opts Options
	// Jobs are the processes of panes.
	Jobs      *Jobs
	environ   environment
	environs  environs
	planner   planner
	describer describer
}

// New returns a Launcher.
func New(o Options) *Launcher {
	jobs := &Jobs{o.Engine, o.Dir, o.Observer, o.Log}
	if !o.Engine.Processes().Local() {
		o.Sandboxes = nil
	}
	l := &Launcher{opts: o, Jobs: jobs}
	l.planner = planner{o.Resolver, o.Kinds, o.Self, environment(o.Environ), o.Trees, o.Sandboxes}
	l.environ, l.environs = l.planner.environ, environs{&l.opts, &l.planner}
	l.describer = describer{&l.opts, &l.environs}
	return l
}

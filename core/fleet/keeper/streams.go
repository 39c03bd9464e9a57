package keeper

import (
	"context"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/worklog"
)

// Journal records events and alerts.
type Journal interface {
	// Happened records events, all or none. Events already recorded are skipped.
	Happened(ctx context.Context, events []core.Event) error
	// SaveAlerts records alerts, each in place of the one with its id. One that
	// was dismissed meanwhile stays so until its count grows.
	SaveAlerts(ctx context.Context, alerts []core.Alert) error
}

// Monitor acts on panes by itself, as the snapshots say. Note must not block.
type Monitor interface {
	// Note takes what there is to do from a snapshot.
	Note(snapshot *core.Snapshot)
	// Run does it until ctx ends.
	Run(ctx context.Context)
}

// Options configures Streams. Engine, Dir, Observer, Now and Log are required.
type Options struct {
	Engine   engine.Engine
	Dir      *rundir.Dir
	Observer *observe.Observer
	// Conversations finds the records of agents.
	Conversations *conversation.Reader
	// Surveyor finds files that several agents change; nil disables the search.
	Surveyor *worklog.Surveyor
	// Monitors act on panes by themselves while this process is the keeper.
	Monitors []Monitor
	// Preview takes the snapshot that a Live shows if the shared one is late.
	Preview func(context.Context) (*core.Snapshot, error)
	Journal Journal
	// HideForeign leaves out sessions that Cupola did not create; NotifyForeign still notifies the user of
	// their alerts.
	HideForeign, NotifyForeign bool
	// Thresholds of alert rules; a zero one disables its rule.
	Thresholds alert.Thresholds
	// Notify gets every change of an alert while this process is the keeper. It must not block.
	Notify func(alert.Change)
	// Spends returns the spending under each ceiling; nil is none.
	Spends func(context.Context) ([]alert.Spend, error)
	// Notices returns what became of work without panes; nil is nothing.
	Notices func(context.Context) ([]alert.Notice, error)
	Now     func() time.Time
	Log     *slog.Logger
}

// Streams subscribes to one engine. Its methods may be called concurrently.
type Streams struct {
	opts   Options
	groups liveGroups
}

// New returns Streams. It does not query the engine and creates no file.
func New(o Options) *Streams { return &Streams{opts: o} }

// files returns the files of the keeper, and prepares the runtime directory. The zero value means that there
// is none.
func (s *Streams) files(info engine.Info) (rundir.Files, error) {
	files := s.opts.Dir.FilesOf(info)
	if files.None() && files.Barred == nil {
		return files, nil
	}
	return files, files.Prepare()
}

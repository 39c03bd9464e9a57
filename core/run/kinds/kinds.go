// Package kinds opens the index of the runs of all kinds.
package kinds

import (
	"context"
	"log/slog"
	"path/filepath"

	"cupola/core/config"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/pipeline"
	"cupola/core/run/relay"
	"cupola/core/run/story/loop"
)

// Index returns the index of the runs whose records are in the usual folders, for a process with a context. Open opens
// the store that has the crews, and publish reports to other processes that runs have changed. Nothing is opened before
// the index is used.
func Index(
	ctx context.Context, paths config.Paths, publish func(context.Context), log *slog.Logger,
	open func(context.Context) (*store.Store, error),
) *run.Index {
	return run.NewIndex(ctx, filepath.Join(paths.State, "runs.db"), publish, log,
		relay.Directory{Dir: paths.Relays()}.Source(),
		orchestrator.Source{Directory: orchestrator.Directory{Dir: paths.Crews()}, Open: open},
		loop.DirectoryIn(paths.Stories(), nil, 0),
		pipeline.DirectoryIn(paths.Pipelines(), nil, 0),
	)
}

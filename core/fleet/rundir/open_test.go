package rundir

import (
	"log/slog"
	"time"

	"cupola/core/engine"
)

// newDir returns the runtime directory at a path, as an engine uses it.
func newDir(eng engine.Engine, path string) *Dir {
	return New(eng, path, "", time.Now, slog.New(slog.DiscardHandler))
}

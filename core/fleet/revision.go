package fleet

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
)

// Revision is the last one that a keeper of this engine recorded; 0 if there
// was none.
func (f *lookout) Revision(ctx context.Context) core.Revision {
	if f.runtime == "" {
		return 0
	}
	info, err := f.server(ctx)
	if err != nil {
		return 0
	}
	return lastRevision(f.runtime, info)
}

// server returns at least the engine's socket, without a question to engines
// that know it by heart.
func (o *observer) server(ctx context.Context) (engine.Info, error) {
	if known, ok := o.engine.(interface{ SocketPath() string }); ok {
		return engine.Info{Socket: known.SocketPath()}, nil
	}
	return o.engine.Info(ctx)
}

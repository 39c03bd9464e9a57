package fleet

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
)

// Revision is the last one that a keeper of this engine recorded; 0 if there
// was none.
func (f *lookout) Revision(ctx context.Context) core.Revision {
	return lastRevision(seatNow(ctx, &f.observer))
}

// seatNow is where the keeper of this engine sits, or would; none if that cannot be
// told.
func seatNow(ctx context.Context, o *observer) seat {
	if o.runtime == "" {
		return seat{}
	}
	info, err := o.server(ctx)
	if err != nil {
		return seat{}
	}
	return seatOf(o.runtime, info)
}

// server returns at least the engine's socket, without a question to engines
// that know it by heart.
func (o *observer) server(ctx context.Context) (engine.Info, error) {
	if known, ok := o.engine.(interface{ SocketPath() string }); ok {
		return engine.Info{Socket: known.SocketPath()}, nil
	}
	return o.engine.Info(ctx)
}

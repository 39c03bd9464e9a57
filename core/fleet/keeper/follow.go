package keeper

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/fleet/wire"
)

// follow feeds the hub with a keeper's frames until the connection ends; the error says why. heard reports
// whether any frame arrived.
func (h *hub) follow(ctx context.Context, l *wire.Link) (heard bool, err error) {
	defer func() { _ = l.Close() }()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		f, err := l.Next()
		if err != nil {
			return heard, err
		}
		if f.Type == wire.FrameRuns {
			h.ran()
		}
		if f.Type != wire.FrameBatch {
			continue
		}
		b, err := batchOf(&f)
		if err != nil {
			return heard, err
		}
		h.extend(b)
		heard = true
	}
}

// batchOf converts a frame, or returns ErrMalformed for an inconsistent one.
func batchOf(f *wire.Frame) (batch, error) {
	b := batch{events: f.Events, snapshot: f.Snapshot, resync: f.Resync}
	if f.Snapshot == nil {
		return b, fmt.Errorf("%w: a batch without a snapshot", wire.ErrMalformed)
	}
	if len(f.Events) > ringSize {
		return b, fmt.Errorf("%w: %d events", wire.ErrMalformed, len(f.Events))
	}
	last := f.Snapshot.Revision
	for i := range f.Events {
		if behind := core.Revision(len(f.Events) - 1 - i); f.Events[i].Revision+behind != last || last < behind {
			return b, fmt.Errorf("%w: event %d does not lead to revision %d", wire.ErrMalformed, i, last)
		}
	}
	return b, nil
}

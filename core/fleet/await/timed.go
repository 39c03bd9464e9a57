package await

import (
	"context"
	"sync"
	"time"
)

// FirstSnapshot is the minimum time that operations with a shorter timeout wait for their first snapshot,
// with which the timeout begins: on a busy machine it may take longer than the rest.
const FirstSnapshot = 10 * time.Second

// Timed returns a context that ends limit after begin is called, with over as its cause; 0 never ends.
// Callers must call end.
func Timed(ctx context.Context, limit time.Duration, over error) (_ context.Context, begin, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() {}, func() { cancel(nil) }
	}
	timer := time.AfterFunc(max(limit, FirstSnapshot), func() { cancel(over) })
	begin = sync.OnceFunc(func() { timer.Reset(limit) })
	return ctx, begin, func() { timer.Stop(); cancel(nil) }
}

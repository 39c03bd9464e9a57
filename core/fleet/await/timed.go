package await

import (
	"context"
	"sync"
	"time"
)

// FirstSnapshot is how long whatever has a time of its own waits for the snapshot with
// which that time begins, if it is shorter: a busy machine may take longer for that
// than for all that follows.
const FirstSnapshot = 10 * time.Second

// Timed returns a context that ends so long after begin is called, with over as its
// cause; 0 never ends. Who calls it calls end too.
func Timed(ctx context.Context, limit time.Duration, over error) (_ context.Context, begin, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() {}, func() { cancel(nil) }
	}
	timer := time.AfterFunc(max(limit, FirstSnapshot), func() { cancel(over) })
	begin = sync.OnceFunc(func() { timer.Reset(limit) })
	return ctx, begin, func() { timer.Stop(); cancel(nil) }
}

package await

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestATimeBeginsWithTheFirstSnapshot(t *testing.T) {
	for late, want := range map[time.Duration]time.Duration{
		0: time.Second, 3 * time.Second: 4 * time.Second,
		time.Hour: FirstSnapshot,
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			ctx, begin, end := Timed(t.Context(), time.Second, context.DeadlineExceeded)
			defer end()
			select {
			case <-time.After(late):
				begin()
				begin()
			case <-ctx.Done():
			}
			<-ctx.Done()
			if took := time.Since(began); took != want || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				t.Errorf("%v late: it ended after %v with %v", late, took, context.Cause(ctx))
			}
		})
	}
}

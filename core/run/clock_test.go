package run_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core/run"
)

func TestPausesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late atomic.Int64
		began := time.Now()
		c := run.NewClock(time.Minute, func() { late.Store(int64(time.Since(began))) })
		defer c.Stop()
		for range 3 {
			time.Sleep(10 * time.Second)
			c.Pause()
			time.Sleep(time.Hour)
			c.Pause()
			time.Sleep(time.Hour)
			c.Resume()
			c.Resume()
		}
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if after := time.Duration(late.Load()); after != 0 {
			t.Errorf("it was over after %v", after)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if after := time.Duration(late.Load()); after != time.Minute+6*time.Hour || c.Paused() != 6*time.Hour {
			t.Errorf("it was over after %v, with pauses of %v", after, c.Paused())
		}
	})
}

package runs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"cupola/core/runs"
)

func TestPausesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := time.Duration(0)
		began := time.Now()
		c := runs.NewClock(time.Minute, func() { late = time.Since(began) })
		defer c.Stop()
		for range 3 {
			time.Sleep(10 * time.Second)
			c.Pause()
			time.Sleep(time.Hour)
			c.Pause()
			time.Sleep(time.Hour)
			c.GoOn()
			c.GoOn()
		}
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if late != 0 {
			t.Errorf("it was over after %v", late)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if late != time.Minute+6*time.Hour || c.Paused() != 6*time.Hour {
			t.Errorf("it was over after %v, with pauses of %v", late, c.Paused())
		}
	})
}

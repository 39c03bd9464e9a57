package rundir

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestALocalLockLetsOneInAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locks localLocks
		leave, err := locks.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := locks.enter(t.Context(), "b"); err != nil {
			t.Fatal(err)
		} else {
			other()
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := locks.enter(impatient, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two are in: %v", err)
		}
		time.AfterFunc(time.Second, leave)
		if next, err := locks.enter(t.Context(), "a"); err != nil {
			t.Error(err)
		} else {
			next()
		}
	})
}

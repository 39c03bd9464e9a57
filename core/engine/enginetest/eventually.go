package enginetest

import (
	"testing"
	"time"
)

// Timeout is the deadline of every wait in tests. It is long, so that a busy machine fails
// no test: only what hangs exceeds it.
const Timeout = time.Minute

// longestPause bounds the time between two calls of a condition.
const longestPause = 100 * time.Millisecond

// Eventually waits until cond is true. If it is not within the time given, the
// test ends with what onFail says; a nil onFail says nothing more. It calls cond less
// often the longer a call takes, so that tests that wait leave the processors to what
// they wait for.
func Eventually(t testing.TB, within time.Duration, cond func() bool, onFail func() string) {
	t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for {
		began := time.Now()
		if cond() {
			return
		}
		pause := min(max(5*time.Millisecond, 2*time.Since(began)), longestPause)
		select {
		case <-time.After(pause):
		case <-deadline.C:
			why := ""
			if onFail != nil {
				why = ": " + onFail()
			}
			t.Fatalf("not within %v%s", within, why)
		}
	}
}

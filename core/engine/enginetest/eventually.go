package enginetest

import (
	"testing"
	"time"
)

// Timeout is the deadline of every wait in tests. It is long, so that a busy machine fails
// no test: only what hangs exceeds it.
const Timeout = time.Minute

// Eventually waits until cond is true. After the time within, it fails the test with the
// text that onFail returns; onFail may be nil.
func Eventually(t testing.TB, within time.Duration, cond func() bool, onFail func() string) {
	t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		if cond() {
			return
		}
		select {
		case <-again.C:
		case <-deadline.C:
			why := ""
			if onFail != nil {
				why = ": " + onFail()
			}
			t.Fatalf("not within %v%s", within, why)
		}
	}
}

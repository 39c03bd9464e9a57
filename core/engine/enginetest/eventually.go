package enginetest

import (
	"testing"
	"time"
)

// Timeout is how long anything may take before a test gives it up. Only what hangs
// takes so long: a machine that is merely busy must fail no test.
const Timeout = time.Minute

// Eventually waits until cond is true. If it is not within the time given, the
// test ends with what onFail says; a nil onFail says nothing more.
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

package enginetest

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// Deep skips a test, whose name begins with TestDeep, unless CUPOLA_DEEP is set: it takes longer than everybody's run
// of the tests may.
func Deep(t testing.TB) {
	t.Helper()
	if os.Getenv("CUPOLA_DEEP") == "" {
		t.Skip("CUPOLA_DEEP is not set")
	}
}

// Random returns the random choices of a series. It logs their seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // it is positive
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

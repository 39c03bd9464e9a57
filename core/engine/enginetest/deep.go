package enginetest

import (
	"os"
	"testing"
)

// Deep skips a test, whose name begins with TestDeep, unless CUPOLA_DEEP is set: it takes longer than everybody's run
// of the tests may.
func Deep(t testing.TB) {
	t.Helper()
	if os.Getenv("CUPOLA_DEEP") == "" {
		t.Skip("CUPOLA_DEEP is not set")
	}
}

package own

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core/engine"
)

// TestAFeedHearsOfANewSocket makes a file beside the socket of a server that does not run.
func TestAFeedHearsOfANewSocket(t *testing.T) {
	dir := t.TempDir()
	f := &feed{server: Open(Options{Socket: filepath.Join(dir, "s")}), focuses: engine.NewFocuses(), lost: true}
	if !f.watchFolder() {
		t.Skip("the system reports no new files")
	}
	defer f.unwatch()
	began := time.Now()
	if err := os.WriteFile(f.server.SocketPath(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.rest(t.Context())
	if took := time.Since(began); took > absentInterval/2 {
		t.Errorf("it looks for the server after %v", took)
	}
	f.rest(t.Context())
	if took := time.Since(began); took > absentInterval/2 {
		t.Errorf("it looks for the server again after %v", took)
	}
}

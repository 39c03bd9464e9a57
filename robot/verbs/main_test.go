package verbs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestMain gives the tests a temporary folder whose path has neither a link nor a blank: such a path would be written
// in two ways in an answer.
func TestMain(m *testing.M) {
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if strings.ContainsAny(parent, " '\"$") {
		parent = "/tmp"
	}
	dir, failed := os.MkdirTemp(parent, "cupola")
	if err := errors.Join(err, failed, os.Setenv("TMPDIR", dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(400) // a tenth of the time, for a hundred megabytes
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

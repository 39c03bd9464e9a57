package keeper

import (
	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARuntimeFolderThatCannotBeUsedSaysWhy(t *testing.T) {
	dir := fleettest.RuntimeDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		folder string
		code   core.Code
		words  string
	}{
		"below a file":    {filepath.Join(file, "cupola"), core.IOError, "not a directory"},
		"a file itself":   {file, core.IOError, "is not a folder"},
		"write-protected": {locked, core.PermissionDenied, "permission denied"},
		"below one":       {filepath.Join(locked, "cupola"), core.PermissionDenied, "permission denied"},
		"too long":        {filepath.Join(dir, strings.Repeat("x", 100)), core.IOError, "socket path"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.code == core.PermissionDenied && os.Geteuid() == 0 {
				t.Skip("nothing is write-protected for root")
			}
			f := Open(Options{Engine: &fleettest.FeedEngine{}, Kinds: fleettest.BuiltinKinds(t), Runtime: c.folder})
			_, err := f.Subscribe(t.Context(), Interest{})
			e := core.AsError(err)
			if e == nil || e.Code != c.code || !strings.Contains(e.Error(), c.words) {
				t.Errorf("%+v, want %s with %q", e, c.code, c.words)
			}
		})
	}
}

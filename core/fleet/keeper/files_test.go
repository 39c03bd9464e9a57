package keeper

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
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
			f := openStreams(t, fleettest.BuiltinKinds(t), c.folder, Options{Engine: &fleettest.FeedEngine{}})
			_, err := f.Subscribe(t.Context(), Interest{})
			e := core.AsError(err)
			if e == nil || e.Code != c.code || !strings.Contains(e.Error(), c.words) {
				t.Errorf("%+v, want %s with %q", e, c.code, c.words)
			}
		})
	}
}

func TestSubscribeRefusesForeignDirectory(t *testing.T) {
	dir := fleettest.RuntimeDir(t)
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "cupola-1000")
	if err := errors.Join(os.Mkdir(target, 0o755), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	folders := []string{link}
	if os.Geteuid() == 0 {
		given := filepath.Join(dir, "given")
		if err := errors.Join(os.Mkdir(given, 0o755), os.Chown(given, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, given)
	}
	for _, folder := range folders {
		f := openStreams(t, fleettest.BuiltinKinds(t), folder, Options{Engine: &fleettest.FeedEngine{}})
		if _, err := f.Subscribe(t.Context(), Interest{}); !core.AsError(err).HasCode(core.PermissionDenied) {
			t.Errorf("%s: %v", folder, err)
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s was changed: %v, %v", folder, info.Mode(), err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("in %s was made %v, %v", folder, left, err)
		}
	}
}

package private_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/system/private"
)

// otherUser is the user id of another user than the one who runs the tests.
const otherUser = 65534

func TestOnlyFoldersOfTheUserAreUsed(t *testing.T) {
	dir := t.TempDir()
	lay := func(name string, how func(path string) error) string {
		path := filepath.Join(dir, name)
		if err := how(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := lay("own", func(path string) error { return os.Mkdir(path, 0o755) })
	for path, want := range map[string]error{
		own:                           nil,
		filepath.Join(dir, "missing"): nil,
		lay("link", func(path string) error { return os.Symlink(own, path) }):                  private.ErrForeign,
		lay("nowhere", func(path string) error { return os.Symlink("/nowhere", path) }):        private.ErrForeign,
		lay("file", func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }): private.ErrNoFolder,
	} {
		if err := private.CheckFolder(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if want == nil {
			continue
		}
		if err := private.MakeFolder(path); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is made: %v", path, err)
		}
	}
	if err := private.MakeFolder(filepath.Join(dir, "a", "b")); err != nil {
		t.Error(err)
	}
	if err := private.CloseFolder(own); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of another user")
	}
	foreign := lay("foreign", func(path string) error { return os.Mkdir(path, 0o777) })
	if err := os.Chown(foreign, otherUser, otherUser); err != nil {
		t.Fatal(err)
	}
	if err := private.CheckFolder(foreign); !errors.Is(err, private.ErrForeign) {
		t.Errorf("a folder of another user: %v", err)
	}
}

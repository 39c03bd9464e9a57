package filecopy_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"cupola/core/system/filecopy"
)

// folders makes two folders and opens them.
func folders(t *testing.T) (from, to *os.Root) {
	t.Helper()
	roots := make([]*os.Root, 2)
	for i := range roots {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close() })
		roots[i] = root
	}
	return roots[0], roots[1]
}

func write(t *testing.T, root *os.Root, name, text string, perm fs.FileMode) {
	t.Helper()
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(name, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root *os.Root, name string) string {
	t.Helper()
	text, err := root.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func TestAFolderIsTheSameInEachWay(t *testing.T) {
	for _, way := range []filecopy.Way{filecopy.Copied, filecopy.Cloned, filecopy.Linked} {
		from, to := folders(t)
		write(t, from, "a/b/run", "one", 0o755)
		write(t, from, "a/b/secret", "two", 0o600)
		if err := from.Symlink("../b/run", "a/b/link"); err != nil {
			t.Fatal(err)
		}
		if err := from.Symlink("/usr/bin/env", "a/b/absolute"); err != nil {
			t.Fatal(err)
		}
		if err := from.Symlink("../../../out", "a/b/out"); err != nil {
			t.Fatal(err)
		}
		err := filecopy.Entry(from, to, "a/b", way)
		if way == filecopy.Cloned && errors.Is(err, filecopy.ErrUnsupported) {
			t.Logf("this file system clones no files: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]fs.FileMode{"a/b/run": 0o755, "a/b/secret": 0o600} {
			old, _ := from.Stat(name)
			info, err := to.Stat(name)
			if err != nil || info.Mode().Perm() != want || !info.ModTime().Equal(old.ModTime()) {
				t.Errorf("%s: %v, %v", name, info, err)
			}
			if same := os.SameFile(old, info); same != (way == filecopy.Linked) {
				t.Errorf("way %d: one file is %v", way, same)
			}
		}
		if text := read(t, to, "a/b/link"); text != "one" {
			t.Errorf("the link leads to %q", text)
		}
		if target, err := to.Readlink("a/b/absolute"); err != nil || target != "/usr/bin/env" {
			t.Errorf("%q, %v", target, err)
		}
		if _, err := to.Lstat("a/b/out"); err == nil {
			t.Error("a link that leads out was made")
		}
	}
}

func TestNothingIsReplacedAndNothingIsWrittenOutside(t *testing.T) {
	from, to := folders(t)
	write(t, from, "kept", "new", 0o600)
	write(t, to, "kept", "old", 0o600)
	if err := filecopy.Entry(from, to, "kept", filecopy.Copied); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if read(t, to, "kept") != "old" {
		t.Error("a file was replaced")
	}
	outside := t.TempDir()
	write(t, from, "conf/keys", "mine", 0o600)
	if err := os.Symlink(outside, filepath.Join(to.Name(), "conf")); err != nil {
		t.Fatal(err)
	}
	for _, way := range []filecopy.Way{filecopy.Copied, filecopy.Cloned, filecopy.Linked} {
		if err := filecopy.Entry(from, to, "conf/keys", way); err == nil {
			t.Error("it was written through a link")
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v is outside", left)
	}
	if err := from.Symlink("../elsewhere", "leads"); err != nil {
		t.Fatal(err)
	}
	if err := filecopy.Entry(from, to, "leads", filecopy.Copied); !errors.Is(err, filecopy.ErrOutside) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"../" + filepath.Base(outside), outside} {
		if err := filecopy.Entry(from, to, name, filecopy.Copied); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
}

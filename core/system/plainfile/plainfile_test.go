package plainfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"cupola/core/system/plainfile"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := errors.Join(syscall.Mkfifo(at("fifo"), 0o600), os.Symlink(os.DevNull, at("null")),
		os.Symlink("/dev/zero", at("zero")), os.Symlink("fifo", at("link")),
		os.Mkdir(at("folder"), 0o700), os.WriteFile(at("file"), []byte("text"), 0o600),
		os.Symlink("file", at("good"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "null", "zero", "link", "folder", "socket"} {
		if _, err := plainfile.Read(at(name), 100); !errors.Is(err, plainfile.ErrNotRegular) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := fs.ReadFile(plainfile.Folder(dir), name); !errors.Is(err, plainfile.ErrNotRegular) {
			t.Errorf("%s in the folder: %v", name, err)
		}
		if name == "folder" {
			continue
		}
		if _, err := plainfile.Folder(dir).Open(name); !errors.Is(err, plainfile.ErrNotRegular) {
			t.Errorf("%s in the folder: %v", name, err)
		}
	}
	for _, name := range []string{"file", "good"} {
		if text, err := plainfile.Read(at(name), 4); string(text) != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := plainfile.Read(at("none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestNoMoreIsReadThanWasAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for size, most := range map[int]int64{0: 0, 1: 1, 5000: 5000, 100: 1 << 40} {
		want := strings.Repeat("x", size)
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := plainfile.Read(path, most); err != nil || string(text) != want || text == nil {
			t.Errorf("%d of %d bytes: %d, %v", size, most, len(text), err)
		}
		if size == 0 {
			continue
		}
		if _, err := plainfile.Read(path, int64(size)-1); !errors.Is(err, plainfile.ErrTooLarge) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// What the system makes up as it is read has no size.
func TestAFileThatDoesNotSayItsSizeIsReadWhole(t *testing.T) {
	const path = "/proc/self/environ"
	want, err := os.ReadFile(path)
	if err != nil {
		t.Skip(err)
	}
	if text, err := plainfile.Read(path, plainfile.Text); err != nil || string(text) != string(want) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAFolderIsAFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a.toml"), []byte("a"), 0o600),
		os.Mkdir(filepath.Join(dir, "b"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(plainfile.Folder(dir), "a.toml", "b"); err != nil {
		t.Error(err)
	}
}

func TestALogOfTheSystemIsNoPlainFile(t *testing.T) {
	const log = "/proc/kmsg"
	file, err := os.Open(log)
	if err != nil {
		t.Skip(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := plainfile.Read(log, plainfile.Text); !errors.Is(err, plainfile.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}

func TestALinkIsFollowedToWhatIsNotThere(t *testing.T) {
	dir := plainfile.Real(t.TempDir())
	links := map[string]string{"out": "/nowhere/new", "in": "below/new", "up": "../gone", "round": "round"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"out": "/nowhere/new", "in": filepath.Join(dir, "below", "new"), "up": filepath.Join(filepath.Dir(dir), "gone"),
		"missing/file": filepath.Join(dir, "missing", "file"), "out/more": "/nowhere/new/more",
	} {
		if got := plainfile.Real(filepath.Join(dir, path)); got != want {
			t.Errorf("%s leads to %s, not %s", path, got, want)
		}
	}
	if got := plainfile.Real(filepath.Join(dir, "round")); got != filepath.Join(dir, "round") {
		t.Errorf("a link to itself leads to %s", got)
	}
}

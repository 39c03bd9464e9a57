package fileevent

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"
)

// opened returns a watcher that ends with the test.
func opened(t *testing.T) *Watcher {
	t.Helper()
	w, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// expect fails unless something happens.
func expect(t *testing.T, events <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-events:
	case <-time.After(5 * time.Second):
		t.Fatalf("no event: %s", what)
	}
}

// expectWatched fails unless exactly some files are watched.
func expectWatched(t *testing.T, w *Watcher, paths ...string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if watched := slices.Sorted(maps.Keys(w.numbers)); !slices.Equal(watched, paths) {
		t.Errorf("watched: %v, want %v", watched, paths)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestATerminalIsReportedWhenAProgramWrites prints in a terminal, whose first output alone is reported until it is
// watched again.
func TestATerminalIsReportedWhenAProgramWrites(t *testing.T) {
	held, terminal, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer held.Close()
	w := opened(t)
	for range 3 {
		if err := w.WatchFiles([]string{terminal.Name()}); err != nil {
			t.Fatal(err)
		}
		_, _ = terminal.WriteString("printed")
		expect(t, w.Files(), "printed")
		expectWatched(t, w)
	}
}

// TestAFolderIsReportedWhenItsEntriesChange makes and removes a file.
func TestAFolderIsReportedWhenItsEntriesChange(t *testing.T) {
	w, dir := opened(t), t.TempDir()
	if err := w.WatchFolder(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "entry")
	write(t, path)
	expect(t, w.Folders(), "made")
	if err := w.WatchFolder(dir); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	expect(t, w.Folders(), "removed")
	if err := w.WatchFolder(path); err == nil {
		t.Error("what is no folder is watched")
	}
}

// TestWatchedFilesAreReplaced watches one file after another.
func TestWatchedFilesAreReplaced(t *testing.T) {
	w, dir := opened(t), t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	write(t, one)
	write(t, two)
	for _, paths := range [][]string{{one}, {one, two}, {two}} {
		if err := w.WatchFiles(paths); err != nil {
			t.Fatal(err)
		}
	}
	expectWatched(t, w, two)
	if err := w.WatchFiles([]string{two, filepath.Join(dir, "three")}); err == nil {
		t.Error("no error of a file that is not there")
	}
	_ = os.Remove(two)
	expect(t, w.Files(), "removed")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range w.Files() {
	}
}

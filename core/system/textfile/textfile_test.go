package textfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
)

func TestAFileIsMadeWithItsFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	if n := Missing(path); n != 2 {
		t.Errorf("%d folders are missing", n)
	}
	if text, err := Read(path); text != nil || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	made := &Change{File: path, After: []byte("x\n")}
	if err := made.Apply(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	gone := &Change{File: path, Before: []byte("x\n"), Folders: 2}
	if err := gone.Apply(); err != nil || Missing(path) != 2 {
		t.Errorf("%v; %d folders are gone", err, Missing(path))
	}
}

func TestALinkStaysAndTheModeToo(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	// The umask may remove rights when the file is written.
	if err := errors.Join(os.WriteFile(target, []byte("a"), 0o600), os.Chmod(target, 0o640),
		os.Symlink("target", link)); err != nil {
		t.Fatal(err)
	}
	if err := (&Change{File: link, Before: []byte("a"), After: []byte("b")}).Apply(); err != nil {
		t.Fatal(err)
	}
	to, err := os.Readlink(link)
	if err != nil || to != "target" {
		t.Errorf("it leads to %q, %v", to, err)
	}
	info, err := os.Stat(target)
	if text, _ := os.ReadFile(target); err != nil || info.Mode().Perm() != 0o640 || string(text) != "b" {
		t.Errorf("%q, %v, %v", text, info, err)
	}
}

func TestWhatChangedMeanwhileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, before := range [][]byte{nil, []byte("mine")} {
		err := (&Change{File: path, Before: before, After: []byte("new")}).Apply()
		if text, _ := os.ReadFile(path); !core.AsError(err).HasCode(core.Conflict) || string(text) != "theirs" {
			t.Errorf("after %q: %v, %q", before, err, text)
		}
	}
}

func TestADiffSaysWhetherThereIsAFile(t *testing.T) {
	if none := (&Change{Before: []byte("x"), After: []byte("x")}).Diff(); none != "" {
		t.Errorf("nothing is shown as %s", none)
	}
	if made := (&Change{
		File:  "f",
		After: []byte("x"),
	}).Diff(); made != "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of "+
		"file\n" {
		t.Errorf("%s", made)
	}
}

func TestWhatIsNoFileIsAnErrorThatNamesIt(t *testing.T) {
	dir := t.TempDir()
	file, loop, around := filepath.Join(dir, "file"), filepath.Join(dir, "loop"), filepath.Join(dir, "around")
	if err := errors.Join(os.WriteFile(file, []byte("a"), 0o600), os.Symlink(around, loop),
		os.Symlink(loop, around)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, loop, filepath.Join(file, "below")} {
		err := (&Change{File: path, After: []byte("b")}).Apply()
		if e := core.AsError(err); !e.HasCode(core.IOError) || !strings.HasPrefix(e.Message, path+": ") ||
			strings.Count(e.Message, path) != 1 {
			t.Errorf("%s: it is changed: %v", path, err)
		}
		if text, err := Read(path); text != nil || !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("%s: it is read as %q, %v", path, text, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestAFileThatCannotBePutInPlaceLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := replace(target, []byte("x"), 0o600); err == nil {
		t.Error("a folder is replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestFoldersThatHoldSomethingStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "file")
	if err := (&Change{File: path, After: []byte("x")}).Apply(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "a", "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&Change{File: path, Before: []byte("x"), Folders: 2}).Apply(); err != nil || Missing(path) != 1 {
		t.Errorf("%v; %d folders are gone", err, Missing(path))
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

func TestAFileIsMadeWithItsMode(t *testing.T) {
	for _, test := range []struct{ mode, want fs.FileMode }{{0, 0o600}, {0o644, 0o644}} {
		path := filepath.Join(t.TempDir(), "file")
		change := &Change{File: path, After: []byte("a"), Mode: test.mode}
		if err := change.Apply(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != test.want {
			t.Errorf("mode %o makes %v, %v", test.mode, info.Mode(), err)
		}
	}
}

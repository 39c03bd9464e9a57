package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

func TestTheRuntimeFolderIsTheUsersAlone(t *testing.T) {
	dir := filepath.Join(fleettest.RuntimeDir(t), "run", "cupola")
	s := FilesOf(dir, engine.Info{Socket: "/s"})
	for range 2 {
		if err := s.Prepare(); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, s.lock: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode() != want {
				t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
			}
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMissingPermissionHasACodeOfItsOwn(t *testing.T) {
	err := core.AsError(UnusableError(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}))
	if err.Code != core.PermissionDenied || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%s: %v", err.Code, err)
	}
}

func TestPrepareRefusesForeignFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := fleettest.RuntimeDir(t)
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	err := core.AsError(FilesOf(dir, engine.Info{}).Prepare())
	if err == nil || err.Code != core.PermissionDenied || !strings.Contains(err.Message, "65534") {
		t.Errorf("%+v", err)
	}
}

func TestForeignRuntimeFolderIsNeitherReadNorChanged(t *testing.T) {
	dir := fleettest.RuntimeDir(t)
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "cupola-1000")
	if err := errors.Join(os.Mkdir(target, 0o755), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	given := filepath.Join(dir, "given")
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Mkdir(given, 0o755), os.Chown(given, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
	} else {
		given = link
	}
	for _, folder := range []string{link, given} {
		planted := FilesOf(folder, engine.Info{Socket: "/stage"})
		if err := errors.Join(
			os.WriteFile(planted.Record, []byte(`{"revision":7}`), 0o600), os.WriteFile(planted.Alarms, nil, 0o600),
		); err != nil {
			t.Fatal(err)
		}
		d := newDir(&fleettest.FeedEngine{Socket: "/stage"}, folder)
		files, err := d.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e := core.AsError(files.Barred)
		if !e.HasCode(core.PermissionDenied) || !strings.Contains(e.Hint, "XDG_RUNTIME_DIR") {
			t.Errorf("%s: %+v", folder, e)
		}
		if revision := d.Revision(t.Context()); revision != 0 || files.Alarmed() {
			t.Errorf("%s is believed: revision %d", folder, revision)
		}
		if err := files.Prepare(); !core.AsError(err).HasCode(core.PermissionDenied) {
			t.Errorf("%s: %v", folder, err)
		}
		if err := planted.Prepare(); !core.AsError(err).HasCode(core.PermissionDenied) {
			t.Errorf("%s is used: %v", folder, err)
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s was changed: %v, %v", folder, info.Mode(), err)
		}
		if _, err := os.Stat(planted.lock); err == nil {
			t.Errorf("a lock is made in %s", folder)
		}
	}
	files, err := newDir(&fleettest.FeedEngine{}, filepath.Join(dir, "none")).Files(t.Context())
	if err != nil || files.Barred != nil {
		t.Errorf("a folder that is not there: %v, %v", err, files.Barred)
	}
}

func TestEnginesOfDifferentSocketsHaveFilesOfTheirOwn(t *testing.T) {
	a, b := FilesOf("/r", engine.Info{Socket: "/a"}), FilesOf("/r", engine.Info{Socket: "/b"})
	if a.lock == b.lock || a.Socket == b.Socket || a.Record == b.Record {
		t.Errorf("%+v and %+v", a, b)
	}
	if again := FilesOf("/r", engine.Info{Socket: "/./a", Version: "3.4", Transport: "exec"}); again != a {
		t.Errorf("one socket has two sets of files: %+v and %+v", a, again)
	}
}

func TestALockIsHeldByOneUntilTheFolderIsCleared(t *testing.T) {
	s := FilesOf(fleettest.RuntimeDir(t), engine.Info{})
	first, err := s.Take()
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	defer first.Unlock()
	if second, err := s.Take(); second != nil || err != nil {
		t.Fatalf("it was taken twice: %v", err)
	}
	if !s.Holds(first) {
		t.Error("it is not held")
	}
	if err := os.Remove(s.lock); err != nil {
		t.Fatal(err)
	}
	if s.Holds(first) {
		t.Error("a lock without a path is held")
	}
	second, err := s.Take()
	if err != nil || second == nil {
		t.Fatal(second, err)
	}
	if s.Holds(first) || !s.Holds(second) {
		t.Error("the older lock counts")
	}
	second.Unlock()
}

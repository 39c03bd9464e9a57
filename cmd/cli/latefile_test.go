package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestUnusedLogLeavesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "cupola")
	log := &lateFile{dir: dir, name: "cupola.log"}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatalf("the folder is there before the first write: %v", err)
	}
	for _, text := range []string{"one\n", "two\n"} {
		if n, err := log.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("wrote %d, %v", n, err)
		}
	}
	path := filepath.Join(dir, "cupola.log")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("got %q, %v", text, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	again := &lateFile{dir: dir, name: "cupola.log"}
	if _, err := again.Write([]byte("three\n")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "one\ntwo\nthree\n" {
		t.Errorf("a second run left %q, %v", text, err)
	}
}

func TestLogFileErrorIsRepeated(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log := &lateFile{dir: filepath.Join(blocked, "folder"), name: "cupola.log"}
	for range 2 {
		if n, err := log.Write([]byte("x")); n != 0 || err == nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}
}

func TestUnreadLogPipeDoesNotBlock(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "cupola.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := (&lateFile{dir: dir, name: "cupola.log"}).Write([]byte("a line"))
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a FIFO was written to")
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits")
	}
}

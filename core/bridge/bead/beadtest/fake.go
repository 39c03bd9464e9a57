// Package beadtest gives tests a project with work items and a fake of the
// program that changes them.
package beadtest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

//go:embed bd.sh
var standIn []byte

//go:embed issues.jsonl
var items []byte

// Install writes the fake into a folder, as bd, and returns its path. It
// appends its arguments to bd.log in the folder of the items, a call a line.
func Install(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "bd")
	if err := shelltest.WriteProgram(path, standIn); err != nil {
		t.Fatal(err)
	}
	return path
}

// Project writes work items bd-1 to bd-7 into a folder: bd-2 waits for bd-1,
// bd-6 is closed, bd-7 is a part of bd-5.
func Project(t testing.TB, dir string) {
	t.Helper()
	beads := filepath.Join(dir, ".beads")
	if err := os.MkdirAll(beads, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(beads, "issues.jsonl"), items, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Repository makes a folder a git repository of two commits, which both change
// main.go and read.go and name bd-6 and bd-1.
func Repository(t testing.TB, dir string) {
	t.Helper()
	repository(t, dir)
}

var repository = gittest.Copied(func(t testing.TB, dir string) {
	t.Helper()
	gittest.Run(t, dir, nil, "init", "-q")
	for _, message := range []string{"bd-6: begin", "bd-1: read"} {
		for _, name := range []string{"main.go", "read.go"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("// "+message+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		gittest.Run(t, dir, nil, "add", "main.go", "read.go")
		gittest.Run(t, dir, nil, "commit", "-q", "-m", message)
	}
})

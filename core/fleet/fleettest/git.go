package fleettest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cupola/core/git/gittest"
)

// Repository makes a git repository with one commit and a folder sub in it.
func Repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(repo, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "sub", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	RunGit(t, repo, "init", "-q")
	RunGit(t, repo, "add", ".")
	RunGit(t, repo, "commit", "-q", "-m", "first")
	return repo
}

// RunGit runs git in a folder and returns what it printed.
func RunGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return gittest.Run(t, dir, nil, args...)
}

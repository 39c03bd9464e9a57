// Package worktreetest gives agents of tests worktrees.
package worktreetest

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
)

// at is when commits are made: their hashes are the same each time.
var at = []string{"GIT_AUTHOR_DATE=2026-01-31T12:00:00Z", "GIT_COMMITTER_DATE=2026-01-31T12:00:00Z"}

// Repository makes a folder a git repository whose branch main has one commit.
func Repository(t testing.TB, dir string) {
	t.Helper()
	repository(t, dir)
}

var repository = gittest.Copied(func(t testing.TB, dir string) {
	t.Helper()
	gittest.Run(t, dir, nil, "init", "-q", "-b", "main")
	gittest.Run(t, dir, at, "commit", "-q", "--allow-empty", "-m", "begin")
})

// Give gives an agent a worktree of a repository until the test ends, and returns its
// path. With a file, the agent has committed that there.
func Give(t testing.TB, repository, session, agent, file string) string {
	t.Helper()
	own := worktree.Path(repository, session, agent)
	gittest.Run(t, repository, nil, "worktree", "add", "-q", "-b", worktree.Branch(session, agent), own)
	t.Cleanup(func() {
		if err := os.RemoveAll(own); err != nil {
			t.Error(err)
		}
		_ = os.Remove(filepath.Dir(own))
		_ = os.Remove(filepath.Dir(filepath.Dir(own)))
	})
	if file != "" {
		if err := os.WriteFile(filepath.Join(own, file), []byte(file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		gittest.Run(t, own, nil, "add", file)
		gittest.Run(t, own, at, "commit", "-q", "-m", file)
	}
	return own
}

package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
)

// Again makes the worktree of an agent again that is gone, at the path of dir or above it, from its branch, which must
// be there. It returns NotFound if the repository or the branch is gone, and the errors of package git.
func Again(ctx context.Context, dir string, environ []string) error {
	top, below, is := strings.Cut(dir, beside+string(filepath.Separator))
	words := strings.Split(below, string(filepath.Separator))
	if !is || len(words) < 2 {
		return core.Errorf(core.NotFound, "%s is no worktree of an agent", dir)
	}
	if info, err := os.Stat(top); err != nil || !info.IsDir() {
		return core.Errorf(core.NotFound, "the repository %s is gone", top)
	}
	repo, err := Open(ctx, top, environ)
	if err != nil {
		return err
	}
	branch := Branch(words[0], words[1])
	if !repo.has(ctx, branch) {
		return core.Errorf(core.NotFound, "the branch %s is gone", branch)
	}
	// The worktree that is gone may still be registered.
	_, err = repo.act(ctx, top, "worktree", "add", "--force", Path(top, words[0], words[1]), branch)
	return err
}

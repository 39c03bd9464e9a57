package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// lookRef is where each working tree keeps how it was when it was looked at last; git does not share it between the
// worktrees of a repository.
const lookRef = "refs/worktree/cupola/look"

// lookOf returns the commit of the last look at a tree; empty if there was none.
func lookOf(ctx context.Context, root string, environ []string) string {
	asks := &git.Command{Dir: root, Environ: environ}
	commit, err := asks.Line(ctx, "rev-parse", "--verify", "--quiet", lookRef+"^{commit}")
	if err != nil {
		return ""
	}
	return commit
}

// Look marks a tree as looked at: BaseLook compares with its present files from then on, but for those that git ignores
// and new ones of more than mostCounted bytes. The index stays as it is.
func Look(ctx context.Context, root string, environ []string) error {
	c := actor(root, environ)
	head, _ := heads(ctx, c)
	var commit string
	err := withIndex(c, func(own *git.Command) error {
		if err := copyIndex(ctx, c, own); err != nil {
			return err
		}
		if _, err := own.Output(ctx, "add", "--update"); err != nil {
			return err
		}
		if err := addNew(ctx, own); err != nil {
			return err
		}
		tree, err := own.Line(ctx, "write-tree")
		if err != nil {
			return core.Errorf(core.Conflict, "%s has conflicts; resolve them first: %w", root, err)
		}
		args := []string{"commit-tree", "--no-gpg-sign", "-m", "cupola: looked at"}
		if head != "" {
			args = append(args, "-p", head)
		}
		commit, err = asCupola(own).Line(ctx, append(args, tree)...)
		return err
	})
	if err != nil {
		return err
	}
	_, err = c.Output(ctx, "update-ref", lookRef, commit)
	return err
}

// copyIndex begins an index of its own with a copy of the tree's, so that files that did not change are not read. The
// copy is as old as the original: git reads a file again that was written when its index was, or later
// (https://git-scm.com/docs/racy-git), and would miss an edit in the same tick of the clock in a younger copy.
func copyIndex(ctx context.Context, c, own *git.Command) error {
	path, err := c.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return err
	}
	written, err := os.Lstat(path) // before it is read: an older time is safe
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever staged
	}
	if err != nil {
		return err
	}
	index, err := plainfile.Read(path, mostIndex)
	if err != nil {
		return err
	}
	if err := os.WriteFile(indexOf(own), index, 0o600); err != nil {
		return err
	}
	return os.Chtimes(indexOf(own), time.Time{}, written.ModTime())
}

// mostIndex is how large an index may be, in bytes; git's own of a million files has less.
const mostIndex = 256 << 20

// indexOf is the file of the index that withIndex gave to git.
func indexOf(own *git.Command) string {
	return strings.TrimPrefix(own.Env[len(own.Env)-1], indexVariable)
}

// addNew adds the files to an index that git does not track.
func addNew(ctx context.Context, own *git.Command) error {
	listed, err := own.Output(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	var small strings.Builder
	for path := range strings.SplitSeq(listed, "\x00") {
		info, err := os.Lstat(filepath.Join(own.Dir, path))
		if path != "" && err == nil && !info.IsDir() && info.Size() <= mostCounted {
			small.WriteString(path + "\x00")
		}
	}
	if small.Len() == 0 {
		return nil
	}
	adds := *own
	adds.Stdin = strings.NewReader(small.String())
	_, err = adds.Output(ctx, "update-index", "--add", "-z", "--stdin")
	return err
}

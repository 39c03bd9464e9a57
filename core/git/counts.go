package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Lines is how many lines of a file were added and deleted; both are -1 for a file that is not text.
type Lines struct{ Added, Deleted int }

// Lines compares the tracked files of the tree with a commit, by their paths. Without a commit there are none.
func (t *Tree) Lines(ctx context.Context, commit string) (map[string]Lines, error) {
	if commit == "" {
		return nil, nil
	}
	c := &Command{Dir: t.Root, Environ: t.environ, Within: treeWithin, once: true}
	out, err := c.Output(ctx, "diff", "--numstat", "-z", "--no-renames", commit, "--")
	if err != nil {
		return nil, err
	}
	counts := map[string]Lines{}
	for record := range strings.SplitSeq(out, "\x00") {
		if words := strings.SplitN(record, "\t", 3); len(words) == 3 {
			counts[words[2]] = Lines{countOf(words[0]), countOf(words[1])}
		}
	}
	return counts, nil
}

// countOf reads git's number of lines, which is a dash for files that are not text.
func countOf(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		return -1
	}
	return n
}

// Counts is how much differs in a working tree.
type Counts struct {
	// Branch is the checked-out branch, empty if the head is detached.
	Branch string
	// Lines are those of all tracked files.
	Lines
}

// Counts compares the tracked files of the tree with its last commit. A tree without one has no lines.
func (t *Tree) Counts(ctx context.Context) (Counts, error) {
	c := &Command{Dir: t.Root, Environ: t.environ, Within: treeWithin}
	var counts Counts
	if branch, err := c.Line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		counts.Branch = branch
	}
	head, err := c.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return counts, ctx.Err()
	}
	files, err := t.Lines(ctx, head)
	for _, file := range files {
		counts.Added, counts.Deleted = counts.Added+max(0, file.Added), counts.Deleted+max(0, file.Deleted)
	}
	return counts, err
}

// Patch returns how a file differs from a commit, as git writes it.
func (t *Tree) Patch(ctx context.Context, from string, change *Change) (string, error) {
	c := &Command{
		Dir: t.Root, Environ: t.environ, Env: []string{"GIT_LITERAL_PATHSPECS=1"}, Within: treeWithin, once: true,
	}
	switch change.Kind {
	case Untracked:
		return t.patchOfNew(ctx, c, change.Path)
	case Unmerged:
		return c.Output(ctx, "diff", "--", change.Path)
	}
	args := []string{"diff", "--find-renames", from, "--", change.Path}
	if change.From != "" {
		args = append(args, change.From)
	}
	if _, err := c.Output(ctx, "rev-parse", "--verify", "--quiet", from); err != nil {
		args = []string{"diff", "--cached", "--", change.Path} // there is no commit yet
	}
	return c.Output(ctx, args...)
}

// patchOfNew compares a file that git does not track with an empty one.
func (*Tree) patchOfNew(ctx context.Context, c *Command, path string) (string, error) {
	out := &bounded{limit: most}
	err := c.Run(ctx, out, "diff", "--no-index", "--", os.DevNull, path)
	if failed := new(exec.ExitError); errors.As(err, &failed) && failed.ExitCode() == 1 {
		err = nil // they differ
	}
	return out.String(), err
}

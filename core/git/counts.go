package git

import (
	"context"
	"strconv"
	"strings"
)

// Counts is how much differs in a working tree.
type Counts struct {
	// Branch is the checked-out branch, empty if the head is detached.
	Branch string
	// Added and Deleted count lines of tracked files; those of files that are not text are not counted.
	Added, Deleted int
}

// Counts compares the tracked files of the tree with its last commit. A tree without one has no lines.
func (t *Tree) Counts(ctx context.Context) (Counts, error) {
	c := &Command{Dir: t.Root, Environ: t.environ, Within: treeWithin, once: true}
	var counts Counts
	branch, err := c.Line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err == nil {
		counts.Branch = branch
	}
	if _, err := c.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return counts, ctx.Err()
	}
	out, err := c.Output(ctx, "diff", "--numstat", "--no-renames", "HEAD", "--")
	if err != nil {
		return counts, err
	}
	for line := range strings.Lines(out) {
		added, rest, _ := strings.Cut(line, "\t")
		deleted, _, _ := strings.Cut(rest, "\t")
		// A dash stands for a file that is not text.
		plus, _ := strconv.Atoi(added)
		minus, _ := strconv.Atoi(deleted)
		counts.Added, counts.Deleted = counts.Added+plus, counts.Deleted+minus
	}
	return counts, nil
}

package git

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Lines is how many lines of a file were added and deleted; both are -1 for a file that is not text.
type Lines struct{ Added, Deleted int }

// Numstat reads what git's --numstat prints with -z and --no-renames: the paths with their lines, in git's order.
func Numstat(out string) iter.Seq2[string, Lines] {
	return func(yield func(string, Lines) bool) {
		for record := range strings.SplitSeq(out, "\x00") {
			words := strings.SplitN(record, "\t", 3)
			if len(words) == 3 && !yield(words[2], Lines{countOf(words[0]), countOf(words[1])}) {
				return
			}
		}
	}
}

// countOf reads git's number of lines, which is a dash for files that are not text.
func countOf(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		return -1
	}
	return n
}

// Lines compares the tracked files of the tree with a commit, by their paths: their lines, and which were added or
// deleted since. Without a commit there are none.
func (t *Tree) Lines(ctx context.Context, commit string) (map[string]Lines, map[string]Kind, error) {
	counts, kinds := map[string]Lines{}, map[string]Kind{}
	if commit == "" {
		return counts, kinds, nil
	}
	out, err := t.ask(ctx, "diff", "--raw", "--numstat", "-z", "--no-renames", commit, "--")
	for strings.HasPrefix(out, ":") { // the letters are before the lines, each before its path
		var letter, path string
		letter, out, _ = strings.Cut(out, "\x00")
		path, out, _ = strings.Cut(out, "\x00")
		kinds[path] = letterKind(letter[strings.LastIndexByte(letter, ' ')+1:])
	}
	for path, lines := range Numstat(out) {
		counts[path] = lines
	}
	return counts, kinds, err
}

// Patch returns how tracked files differ from a commit, as git writes it: the named ones, or all for none. Without a
// commit it returns the staged changes.
func (t *Tree) Patch(ctx context.Context, from string, paths ...string) (string, error) {
	args := []string{"diff", "--find-renames", from, "--"}
	if from == "" {
		args = []string{"diff", "--cached", "--"}
	}
	return t.literal().Output(ctx, append(args, paths...)...)
}

// Conflict returns what both sides of a merge made of a file, as git writes it.
func (t *Tree) Conflict(ctx context.Context, path string) (string, error) {
	return t.literal().Output(ctx, "diff", "--", path)
}

// PatchOfNew compares a file that git does not track with an empty one.
func (t *Tree) PatchOfNew(ctx context.Context, path string) (string, error) {
	out := &bounded{limit: most}
	err := t.literal().Run(ctx, out, "diff", "--no-index", "--", os.DevNull, path)
	if failed, is := errors.AsType[*exec.ExitError](err); is && failed.ExitCode() == 1 {
		err = nil // they differ
	}
	return out.String(), err
}

// Has reports whether a commit has a file. An empty commit has none.
func (t *Tree) Has(ctx context.Context, commit, path string) bool {
	if commit == "" {
		return false
	}
	_, err := t.ask(ctx, "rev-parse", "--verify", "--quiet", commit+":"+path)
	return err == nil
}

// PatchSince compares a file of the tree with what a commit has under its path, whether git tracks it or not.
func (t *Tree) PatchSince(ctx context.Context, commit, path string) (string, error) {
	return t.literal().Output(ctx, "diff", commit+":"+path, path)
}

// LinesSince counts the lines by which a file differs from what a commit has under its path; same is true if none does.
// What cannot be compared counts as a file that is not text.
func (t *Tree) LinesSince(ctx context.Context, commit, path string) (count Lines, same bool) {
	out, err := t.literal().Output(ctx, "diff", "--numstat", "-z", commit+":"+path, path)
	if err != nil {
		return Lines{-1, -1}, false
	}
	for _, count := range Numstat(out) {
		return count, false
	}
	return Lines{}, strings.TrimSpace(out) == ""
}

// literal asks git with paths that are no patterns.
func (t *Tree) literal() *Command {
	return &Command{Dir: t.Root, Environ: t.environ, Env: []string{"GIT_LITERAL_PATHSPECS=1"}, Within: treeWithin}
}

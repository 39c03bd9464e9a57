package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"cupola/core/git"
)

// State compares a worktree with the branch of the main working tree.
type State struct {
	// Changed counts the files in it that are not committed.
	Changed int
	// Ahead counts the commits that the base lacks, Behind those of the base that it lacks.
	Ahead, Behind int
}

// Distance returns how many commits of a worktree its base lacks, and how many of the base it lacks.
func (r *Repo) Distance(ctx context.Context, tree *Tree) (ahead, behind int, err error) {
	out, err := r.ask(ctx, r.Top, "rev-list", "--left-right", "--count", "HEAD..."+tree.Head, "--")
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(out, &behind, &ahead); err != nil {
		return 0, 0, fmt.Errorf("git rev-list said %q: %w", out, err)
	}
	return ahead, behind, nil
}

// Left returns the commit at which a worktree left its base.
func (r *Repo) Left(ctx context.Context, tree *Tree) (string, error) {
	base, err := r.ask(ctx, r.Top, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	from, err := r.ask(ctx, r.Top, "merge-base", base, tree.Head)
	if err != nil {
		return "", fmt.Errorf("%s has no commit in common with %s: %w", tree.Name(), r.Top, err)
	}
	if began := r.configured(ctx, baseKey)[tree.Branch]; began != "" && r.isAncestor(ctx, from, began) &&
		r.isAncestor(ctx, began, tree.Head) {
		return began, nil // it began at another branch, which the base lacks
	}
	return from, nil
}

func (r *Repo) isAncestor(ctx context.Context, older, newer string) bool {
	_, err := r.ask(ctx, r.Top, "merge-base", "--is-ancestor", older, newer)
	return err == nil
}

// State returns how far a worktree differs from its base.
func (r *Repo) State(ctx context.Context, tree *Tree) (State, error) {
	var state State
	var err error
	if state.Ahead, state.Behind, err = r.Distance(ctx, tree); err != nil || tree.Gone {
		return state, err
	}
	at, err := git.Open(ctx, tree.Path, r.options.Environ)
	if err != nil {
		return state, err
	}
	status, err := at.Status(ctx)
	if err != nil {
		return state, err
	}
	for _, change := range status.Changes {
		if change.Filter == "" {
			state.Changed++
		}
	}
	return state, nil
}

// File is one file that a worktree changed.
type File struct {
	Path string
	// Added and Deleted count lines; both are -1 for a file that is not text.
	Added, Deleted int
	// Untracked is true for a file that git does not track.
	Untracked bool
}

// Diff is the work in a worktree since it left the base.
type Diff struct {
	// From is the commit at which it left, empty where they share none.
	From  string
	Files []File
	// Patch is the change as git writes it, if it was wanted; Cut is true where it is longer
	// than what is read.
	Patch string
	Cut   bool
}

// mostPatch is how much of a patch is read, in bytes.
const mostPatch = 256 << 10

// Diff compares a worktree, uncommitted changes included, with the commit at which it left
// the base. patch selects whether Diff.Patch is filled.
func (r *Repo) Diff(ctx context.Context, tree *Tree, patch bool) (Diff, error) {
	dir, diff := tree.Path, Diff{Files: []File{}}
	if tree.Gone {
		dir = r.Top
	}
	var err error
	if diff.From, err = r.Left(ctx, tree); err != nil {
		return diff, err
	}
	compared := []string{"--no-ext-diff", "--no-textconv", diff.From}
	if tree.Gone {
		compared = append(compared, tree.Head)
	}
	out, err := r.ask(ctx, dir,
		append(append([]string{"diff", "--numstat", "-z", "--no-renames"}, compared...), "--")...)
	if err != nil {
		return diff, err
	}
	for path, lines := range git.Numstat(out) {
		diff.Files = append(diff.Files, File{Path: path, Added: lines.Added, Deleted: lines.Deleted})
	}
	var untracked []string
	if !tree.Gone {
		out, err := r.ask(ctx, dir, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")
		if err != nil {
			return diff, err
		}
		untracked = git.Names(out)
	}
	if patch {
		diff.Patch, err = r.ask(ctx, dir, append(append([]string{"diff"}, compared...), "--")...)
		if err != nil {
			return diff, err
		}
	}
	for _, path := range untracked {
		file := File{Path: path, Added: -1, Deleted: -1, Untracked: true}
		if out, err := r.diffUntracked(ctx, dir, path, "--numstat"); err == nil {
			for _, lines := range git.Numstat(out) {
				file.Added, file.Deleted = lines.Added, lines.Deleted
			}
		}
		diff.Files = append(diff.Files, file)
		if patch && len(diff.Patch) <= mostPatch {
			out, err := r.diffUntracked(ctx, dir, path)
			if err != nil {
				return diff, err
			}
			diff.Patch = strings.TrimPrefix(diff.Patch+"\n"+out, "\n")
		}
	}
	if len(diff.Patch) > mostPatch {
		end := strings.LastIndexByte(diff.Patch[:mostPatch], '\n')
		diff.Patch, diff.Cut = diff.Patch[:end+1], true
	}
	return diff, nil
}

// diffUntracked diffs a file that git does not track with an empty one.
func (r *Repo) diffUntracked(ctx context.Context, dir, path string, args ...string) (string, error) {
	var out strings.Builder
	args = append(append([]string{"diff", "--no-index", "--no-ext-diff", "--no-textconv"}, args...), "--", os.DevNull,
		path)
	err := r.command(dir).Run(ctx, &out, args...)
	if failed, is := errors.AsType[*exec.ExitError](err); is && failed.ExitCode() == 1 {
		err = nil // they differ
	}
	return strings.TrimSuffix(out.String(), "\n"), err
}
